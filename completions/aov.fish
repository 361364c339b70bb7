# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_aov_global_optspecs
    string join \n color= h/help V/version
end

function __fish_aov_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_aov_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_aov_using_subcommand
    set -l cmd (__fish_aov_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c aov -n "__fish_aov_needs_command" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_needs_command" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_needs_command" -s V -l version -d 'Print version'
complete -c aov -n "__fish_aov_needs_command" -f -a "check" -d 'Check outputs against agreed requirements'
complete -c aov -n "__fish_aov_needs_command" -f -a "hash" -d 'Print the hashes that a receipt carries'
complete -c aov -n "__fish_aov_needs_command" -f -a "completions" -d 'Print the completions for a shell'
complete -c aov -n "__fish_aov_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand check" -l schema -d 'The JSON Schema that the output must satisfy' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l rules -d 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l template -d 'A `verification-template/1` file, which holds schema, rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l task-id -d 'The task\'s id [default with parts: the name of the output\'s file]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l agent-id -d 'The agent\'s id [default with parts: none]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l format -d 'How to report; json prints exactly the response body (or the error), of one input' -r -f -a "human\t''
json\t''"
complete -c aov -n "__fish_aov_using_subcommand check" -l detail -d 'How much to report; full unless the request says otherwise' -r -f -a "full\t''
compact\t''"
complete -c aov -n "__fish_aov_using_subcommand check" -s o -l output -d 'Write the report into a file, whole or not at all, instead of printing it' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand check" -l enforce-rules -d 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
complete -c aov -n "__fish_aov_using_subcommand check" -l strict-content -d 'Let control characters, HTML markup and `javascript:` fail the result'
complete -c aov -n "__fish_aov_using_subcommand check" -l allow-unknown-fields -d 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
complete -c aov -n "__fish_aov_using_subcommand check" -s q -l quiet -d 'Print no report: the exit code tells'
complete -c aov -n "__fish_aov_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand hash" -l vectors -d 'Check published request_hash test vectors (a list, or an agent card); without VECTORS the three built in' -r -F
complete -c aov -n "__fish_aov_using_subcommand hash" -l schema -d 'The JSON Schema that the output must satisfy' -r -F
complete -c aov -n "__fish_aov_using_subcommand hash" -l rules -d 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing' -r -F
complete -c aov -n "__fish_aov_using_subcommand hash" -l template -d 'A `verification-template/1` file, which holds schema, rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand hash" -l task-id -d 'The task\'s id [default with parts: the name of the output\'s file]' -r
complete -c aov -n "__fish_aov_using_subcommand hash" -l agent-id -d 'The agent\'s id [default with parts: none]' -r
complete -c aov -n "__fish_aov_using_subcommand hash" -l format -d 'How to print; json gives an object, or with a NAME a string' -r -f -a "human\t''
json\t''"
complete -c aov -n "__fish_aov_using_subcommand hash" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand hash" -l value -d 'FILE is any JSON value, such as a bare output or a schema: print its hash and nothing else'
complete -c aov -n "__fish_aov_using_subcommand hash" -l canonical -d 'Print the exact bytes that are hashed instead; with a NAME or --value'
complete -c aov -n "__fish_aov_using_subcommand hash" -l enforce-rules -d 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
complete -c aov -n "__fish_aov_using_subcommand hash" -l strict-content -d 'Let control characters, HTML markup and `javascript:` fail the result'
complete -c aov -n "__fish_aov_using_subcommand hash" -l allow-unknown-fields -d 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
complete -c aov -n "__fish_aov_using_subcommand hash" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand completions" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash completions help" -f -a "check" -d 'Check outputs against agreed requirements'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash completions help" -f -a "hash" -d 'Print the hashes that a receipt carries'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash completions help" -f -a "completions" -d 'Print the completions for a shell'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
