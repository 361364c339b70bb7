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
complete -c aov -n "__fish_aov_needs_command" -f -a "verify-receipt" -d 'Verify receipts: genuine, whose, and about which data'
complete -c aov -n "__fish_aov_needs_command" -f -a "score" -d 'Show how often an agent\'s output has passed'
complete -c aov -n "__fish_aov_needs_command" -f -a "keygen" -d 'Make a signing key, and print what to publish of it'
complete -c aov -n "__fish_aov_needs_command" -f -a "template" -d 'Make a template from good outputs, or say what passing a template is worth'
complete -c aov -n "__fish_aov_needs_command" -f -a "serve" -d 'Serve checks, scores and receipts over HTTP'
complete -c aov -n "__fish_aov_needs_command" -f -a "mcp" -d 'Serve the checks to an agent over MCP, on standard input and output'
complete -c aov -n "__fish_aov_needs_command" -f -a "ledger" -d 'List payments, and find out about those whose end is unknown'
complete -c aov -n "__fish_aov_needs_command" -f -a "completions" -d 'Print the completions for a shell'
complete -c aov -n "__fish_aov_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand check" -l files-from -d 'Check the files that this file lists, one a line or apart by NUL; `-` is standard input' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l jobs -d 'How many threads check [default: one per processor]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l schema -d 'The JSON Schema that the output must satisfy' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l rules -d 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l template -d 'A `verification-template/1` file, which holds schema, rules and bounds' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l task-id -d 'The task\'s id [default with parts: the name of the output\'s file]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l agent-id -d 'The agent\'s id [default with parts: none]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l sign-key -d 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l public-url -d 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l service -d 'The name of your service in receipts [default: aov]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l ledger -d 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l format -d 'How to report' -r -f -a "human\t'For people; the wording may change'
json\t'One object: the answer, or the error'
jsonl\t'One object a line: an answer or an error per input, and a summary'
junit\t'JUnit XML: a suite per input'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Workflow annotations of GitHub Actions'"
complete -c aov -n "__fish_aov_using_subcommand check" -l detail -d 'How much to report; full unless the request says otherwise' -r -f -a "full\t''
compact\t''"
complete -c aov -n "__fish_aov_using_subcommand check" -s o -l output -d 'Write the report into a file, whole or not at all, instead of printing it' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l url -d 'Send the request to the server at this address and verify its signed answer: POST URL/verify/schema. If it wants to be paid, price and networks are shown (exit code 4)' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l public-key -d 'The issuer\'s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l agent-card -d 'The issuer\'s agent card, which lists its keys: a file or an https address' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l trust -d 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l max-price -d 'The most that may be paid, in dollars, such as 0.02' -r
complete -c aov -n "__fish_aov_using_subcommand check" -l wallet-key-file -d 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it' -r -F
complete -c aov -n "__fish_aov_using_subcommand check" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand check" -l jsonl -d 'Take each line of each FILE as an input, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
complete -c aov -n "__fish_aov_using_subcommand check" -l fail-fast -d 'Stop at the first input that does not pass'
complete -c aov -n "__fish_aov_using_subcommand check" -l enforce-rules -d 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
complete -c aov -n "__fish_aov_using_subcommand check" -l strict-content -d 'Let control characters, HTML markup and `javascript:` fail the result'
complete -c aov -n "__fish_aov_using_subcommand check" -l allow-unknown-fields -d 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
complete -c aov -n "__fish_aov_using_subcommand check" -l record -d 'Record each verdict that is about an agent_id, for aov score; ids that begin with test- are never recorded'
complete -c aov -n "__fish_aov_using_subcommand check" -l redact -d 'Show types instead of values of outputs, in every format; names, paths and hashes stay'
complete -c aov -n "__fish_aov_using_subcommand check" -s q -l quiet -d 'Print no report: the exit code tells'
complete -c aov -n "__fish_aov_using_subcommand check" -l offline -d 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
complete -c aov -n "__fish_aov_using_subcommand check" -l pay -d 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this'
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
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l public-key -d 'The issuer\'s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l agent-card -d 'The issuer\'s agent card, which lists its keys: a file or an https address' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l trust -d 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l context -d 'Which kind of receipt this must be [default: by its own fields]' -r -f -a "verification\t''
score\t''"
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l request -d 'The whole request that the receipt should be about' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l output -d 'The output that the receipt should be about' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l schema -d 'The schema that it should have been checked against' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l rules -d 'The rules and bounds that it should have been checked against: an object with `rules`, `bounds` and `enforce_rules`' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l task-id -d 'task_id must be this' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l agent-id -d 'agent_id must be this' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l max-age -d 'Not older than this (s, min, h, d or w), and not more than 5 minutes in the future' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l format -d 'How the report is written' -r -f -a "human\t'For people; the wording may change'
json\t'One object: the answer, or the error'
jsonl\t'One object a line: an answer or an error per input, and a summary'
junit\t'JUnit XML: a suite per input'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Workflow annotations of GitHub Actions'"
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l emit-signed-bytes -d 'Write the exact bytes under the signature of a single receipt to FILE; with - they are printed, and no report' -r -F
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -s j -l jobs -d 'How many receipts to work on at a time [default: one for each core]' -r
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l jsonl -d 'Every input has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l offline -d 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l replay -d 'Run the check again and compare its result with the receipt\'s'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l allow-unknown-fields -d 'Ignore fields that a request does not have, as the hosted service does'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l require-pass -d 'The result must be pass; without this, a genuine receipt of a fail is accepted'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l require-enforced -d 'Rules and bounds must have been binding (enforce_rules)'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -l redact -d 'Show types instead of values of receipts, in every format; the result, names, paths and codes stay'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -s q -l quiet -d 'Print nothing; the exit code says it'
complete -c aov -n "__fish_aov_using_subcommand verify-receipt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand score" -l ledger -d 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l url -d 'Ask the server at this address instead: GET URL/score/AGENT_ID. If it wants to be paid, price and networks are shown (exit code 4); nothing is paid without --pay' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l receipts -d 'Compute it from these receipts instead: files, folders (their *.json and *.jsonl), or - for standard input. Only genuine ones of trusted issuers count, each once' -r -F
complete -c aov -n "__fish_aov_using_subcommand score" -l public-key -d 'The issuer\'s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l agent-card -d 'The issuer\'s agent card, which lists its keys: a file or an https address' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l trust -d 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l max-price -d 'The most that may be paid, in dollars, such as 0.02' -r
complete -c aov -n "__fish_aov_using_subcommand score" -l wallet-key-file -d 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it' -r -F
complete -c aov -n "__fish_aov_using_subcommand score" -l format -d 'How the score is written' -r -f -a "human\t''
json\t''"
complete -c aov -n "__fish_aov_using_subcommand score" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand score" -l jsonl -d 'Every input of --receipts has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
complete -c aov -n "__fish_aov_using_subcommand score" -l offline -d 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
complete -c aov -n "__fish_aov_using_subcommand score" -l pay -d 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this'
complete -c aov -n "__fish_aov_using_subcommand score" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand keygen" -l key-version -d 'The name of the key in the card and in receipts [default: v1-, the date, and four bytes of the public key]' -r
complete -c aov -n "__fish_aov_using_subcommand keygen" -l agent-card -d 'The agent card that the key is added to' -r -F
complete -c aov -n "__fish_aov_using_subcommand keygen" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand keygen" -l show -d 'Make no key; print what to publish of the one in KEYFILE'
complete -c aov -n "__fish_aov_using_subcommand keygen" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand template; and not __fish_seen_subcommand_from infer grade help" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand template; and not __fish_seen_subcommand_from infer grade help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand template; and not __fish_seen_subcommand_from infer grade help" -f -a "infer" -d 'Infer a template from outputs that are good'
complete -c aov -n "__fish_aov_using_subcommand template; and not __fish_seen_subcommand_from infer grade help" -f -a "grade" -d 'Say what passing a template is worth'
complete -c aov -n "__fish_aov_using_subcommand template; and not __fish_seen_subcommand_from infer grade help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -s o -l output -d 'Write the template into a file, whole or not at all, instead of printing it' -r -F
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -l explain -d 'Tell what everything in the template rests on, not only what is in doubt'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -l redact -d 'Let no value of the outputs into the template, nor into what is told: types, names and formats only, no `enum`'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -s q -l quiet -d 'Tell nothing'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from infer" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from grade" -l format -d 'How to report' -r -f -a "human\t'For people; the wording may change'
json\t'One object: the answer, or the error'
jsonl\t'One object a line: an answer or an error per input, and a summary'
junit\t'JUnit XML: a suite per input'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Workflow annotations of GitHub Actions'"
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from grade" -s o -l output -d 'Write the report into a file, whole or not at all, instead of printing it' -r -F
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from grade" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from grade" -l redact -d 'Show nothing of the output\'s values in a report on one that cannot be read'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from grade" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from help" -f -a "infer" -d 'Infer a template from outputs that are good'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from help" -f -a "grade" -d 'Say what passing a template is worth'
complete -c aov -n "__fish_aov_using_subcommand template; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand serve" -l config -d 'The configuration, a TOML file [default: what AOV_CONFIG names, if anything]' -r -F
complete -c aov -n "__fish_aov_using_subcommand serve" -l listen -d 'The address to listen on; port 0 takes a free one [default: 127.0.0.1:8402]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l admin -d 'The address for GET /metrics; without it there is none' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l public-url -d 'Where clients find the service, as receipts and payments name it [default: the address that it listens on, if that is this machine\'s own]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l service -d 'The name of the service in receipts [default: aov]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l key-file -d 'The signing key, which aov keygen makes [default: AOV_SECRET_KEY, else aov.key in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l ledger -d 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: ledger.sqlite in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l free-per-day -d 'Free verifications for each client and day [default: 1000 where payments are taken, else no limit]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l log -d 'How requests are logged on standard error: text or json [default: text]' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l set -d 'Set any key of the configuration, such as limits.workers=8' -r
complete -c aov -n "__fish_aov_using_subcommand serve" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand serve" -l print-config -d 'Print the whole configuration that would be used, and stop'
complete -c aov -n "__fish_aov_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand mcp" -l sign-key -d 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it' -r -F
complete -c aov -n "__fish_aov_using_subcommand mcp" -l public-url -d 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json' -r
complete -c aov -n "__fish_aov_using_subcommand mcp" -l service -d 'The name of your service in receipts [default: aov]' -r
complete -c aov -n "__fish_aov_using_subcommand mcp" -l ledger -d 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand mcp" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand mcp" -l stdio -d 'Said by some hosts; there is no other transport'
complete -c aov -n "__fish_aov_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand ledger; and not __fish_seen_subcommand_from payments reconcile help" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and not __fish_seen_subcommand_from payments reconcile help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand ledger; and not __fish_seen_subcommand_from payments reconcile help" -f -a "payments" -d 'List payments, newest first'
complete -c aov -n "__fish_aov_using_subcommand ledger; and not __fish_seen_subcommand_from payments reconcile help" -f -a "reconcile" -d 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
complete -c aov -n "__fish_aov_using_subcommand ledger; and not __fish_seen_subcommand_from payments reconcile help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -l state -d 'Only those in this state' -r -f -a "claimed\t''
settling\t''
settled\t''
unknown\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -l limit -d 'At most so many' -r
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -l ledger -d 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]' -r
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -l format -d 'How the list is written' -r -f -a "human\t''
json\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from payments" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from reconcile" -l config -d 'The configuration of the server, which names ledger, facilitators and nodes [default: what AOV_CONFIG names]' -r -F
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from reconcile" -l format -d 'How the result is written' -r -f -a "human\t''
json\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from reconcile" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from reconcile" -s h -l help -d 'Print help'
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from help" -f -a "payments" -d 'List payments, newest first'
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from help" -f -a "reconcile" -d 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
complete -c aov -n "__fish_aov_using_subcommand ledger; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand completions" -l color -d 'When to colour text for people' -r -f -a "auto\t''
always\t''
never\t''"
complete -c aov -n "__fish_aov_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "check" -d 'Check outputs against agreed requirements'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "hash" -d 'Print the hashes that a receipt carries'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "verify-receipt" -d 'Verify receipts: genuine, whose, and about which data'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "score" -d 'Show how often an agent\'s output has passed'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "keygen" -d 'Make a signing key, and print what to publish of it'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "template" -d 'Make a template from good outputs, or say what passing a template is worth'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "serve" -d 'Serve checks, scores and receipts over HTTP'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "mcp" -d 'Serve the checks to an agent over MCP, on standard input and output'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "ledger" -d 'List payments, and find out about those whose end is unknown'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "completions" -d 'Print the completions for a shell'
complete -c aov -n "__fish_aov_using_subcommand help; and not __fish_seen_subcommand_from check hash verify-receipt score keygen template serve mcp ledger completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c aov -n "__fish_aov_using_subcommand help; and __fish_seen_subcommand_from template" -f -a "infer" -d 'Infer a template from outputs that are good'
complete -c aov -n "__fish_aov_using_subcommand help; and __fish_seen_subcommand_from template" -f -a "grade" -d 'Say what passing a template is worth'
complete -c aov -n "__fish_aov_using_subcommand help; and __fish_seen_subcommand_from ledger" -f -a "payments" -d 'List payments, newest first'
complete -c aov -n "__fish_aov_using_subcommand help; and __fish_seen_subcommand_from ledger" -f -a "reconcile" -d 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
