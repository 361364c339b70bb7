
use builtin;
use str;

set edit:completion:arg-completer[aov] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'aov'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'aov'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check 'Check outputs against agreed requirements'
            cand hash 'Print the hashes that a receipt carries'
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;check'= {
            cand --schema 'The JSON Schema that the output must satisfy'
            cand --rules 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing'
            cand --template 'A `verification-template/1` file, which holds schema, rules and bounds'
            cand --task-id 'The task''s id [default with parts: the name of the output''s file]'
            cand --agent-id 'The agent''s id [default with parts: none]'
            cand --format 'How to report; json prints exactly the response body (or the error), of one input'
            cand --detail 'How much to report; full unless the request says otherwise'
            cand -o 'Write the report into a file, whole or not at all, instead of printing it'
            cand --output 'Write the report into a file, whole or not at all, instead of printing it'
            cand --color 'When to colour text for people'
            cand --enforce-rules 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
            cand --strict-content 'Let control characters, HTML markup and `javascript:` fail the result'
            cand --allow-unknown-fields 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
            cand -q 'Print no report: the exit code tells'
            cand --quiet 'Print no report: the exit code tells'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;hash'= {
            cand --vectors 'Check published request_hash test vectors (a list, or an agent card); without VECTORS the three built in'
            cand --schema 'The JSON Schema that the output must satisfy'
            cand --rules 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing'
            cand --template 'A `verification-template/1` file, which holds schema, rules and bounds'
            cand --task-id 'The task''s id [default with parts: the name of the output''s file]'
            cand --agent-id 'The agent''s id [default with parts: none]'
            cand --format 'How to print; json gives an object, or with a NAME a string'
            cand --color 'When to colour text for people'
            cand --value 'FILE is any JSON value, such as a bare output or a schema: print its hash and nothing else'
            cand --canonical 'Print the exact bytes that are hashed instead; with a NAME or --value'
            cand --enforce-rules 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
            cand --strict-content 'Let control characters, HTML markup and `javascript:` fail the result'
            cand --allow-unknown-fields 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;completions'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;help'= {
            cand check 'Check outputs against agreed requirements'
            cand hash 'Print the hashes that a receipt carries'
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;help;check'= {
        }
        &'aov;help;hash'= {
        }
        &'aov;help;completions'= {
        }
        &'aov;help;help'= {
        }
    ]
    $completions[$command]
}
