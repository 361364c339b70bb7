
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
            cand verify-receipt 'Verify receipts: genuine, whose, and about which data'
            cand score 'Show how often an agent''s output has passed'
            cand keygen 'Make a signing key, and print what to publish of it'
            cand template 'Make a template from good outputs, or say what passing a template is worth'
            cand serve 'Serve checks, scores and receipts over HTTP'
            cand mcp 'Serve the checks to an agent over MCP, on standard input and output'
            cand ledger 'List payments, and find out about those whose end is unknown'
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;check'= {
            cand --files-from 'Check the files that this file lists, one a line or apart by NUL; `-` is standard input'
            cand --jobs 'How many threads check [default: one per processor]'
            cand --schema 'The JSON Schema that the output must satisfy'
            cand --rules 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing'
            cand --template 'A `verification-template/1` file, which holds schema, rules and bounds'
            cand --task-id 'The task''s id [default with parts: the name of the output''s file]'
            cand --agent-id 'The agent''s id [default with parts: none]'
            cand --sign-key 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it'
            cand --public-url 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json'
            cand --service 'The name of your service in receipts [default: aov]'
            cand --ledger 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]'
            cand --format 'How to report'
            cand --detail 'How much to report; full unless the request says otherwise'
            cand -o 'Write the report into a file, whole or not at all, instead of printing it'
            cand --output 'Write the report into a file, whole or not at all, instead of printing it'
            cand --url 'Send the request to the server at this address and verify its signed answer: POST URL/verify/schema. If it wants to be paid, price and networks are shown (exit code 4)'
            cand --public-key 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one'
            cand --agent-card 'The issuer''s agent card, which lists its keys: a file or an https address'
            cand --trust 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json'
            cand --max-price 'The most that may be paid, in dollars, such as 0.02'
            cand --wallet-key-file 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it'
            cand --color 'When to colour text for people'
            cand --jsonl 'Take each line of each FILE as an input, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
            cand --fail-fast 'Stop at the first input that does not pass'
            cand --enforce-rules 'Let findings of rules and bounds fail the result, whether or not the requirements say so'
            cand --strict-content 'Let control characters, HTML markup and `javascript:` fail the result'
            cand --allow-unknown-fields 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing'
            cand --record 'Record each verdict that is about an agent_id, for aov score; ids that begin with test- are never recorded'
            cand --redact 'Show types instead of values of outputs, in every format; names, paths and hashes stay'
            cand -q 'Print no report: the exit code tells'
            cand --quiet 'Print no report: the exit code tells'
            cand --offline 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
            cand --pay 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this'
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
        &'aov;verify-receipt'= {
            cand --public-key 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one'
            cand --agent-card 'The issuer''s agent card, which lists its keys: a file or an https address'
            cand --trust 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json'
            cand --context 'Which kind of receipt this must be [default: by its own fields]'
            cand --request 'The whole request that the receipt should be about'
            cand --output 'The output that the receipt should be about'
            cand --schema 'The schema that it should have been checked against'
            cand --rules 'The rules and bounds that it should have been checked against: an object with `rules`, `bounds` and `enforce_rules`'
            cand --task-id 'task_id must be this'
            cand --agent-id 'agent_id must be this'
            cand --max-age 'Not older than this (s, min, h, d or w), and not more than 5 minutes in the future'
            cand --format 'How the report is written'
            cand --emit-signed-bytes 'Write the exact bytes under the signature of a single receipt to FILE; with - they are printed, and no report'
            cand -j 'How many receipts to work on at a time [default: one for each core]'
            cand --jobs 'How many receipts to work on at a time [default: one for each core]'
            cand --color 'When to colour text for people'
            cand --jsonl 'Every input has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
            cand --offline 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
            cand --replay 'Run the check again and compare its result with the receipt''s'
            cand --allow-unknown-fields 'Ignore fields that a request does not have, as the hosted service does'
            cand --require-pass 'The result must be pass; without this, a genuine receipt of a fail is accepted'
            cand --require-enforced 'Rules and bounds must have been binding (enforce_rules)'
            cand --redact 'Show types instead of values of receipts, in every format; the result, names, paths and codes stay'
            cand -q 'Print nothing; the exit code says it'
            cand --quiet 'Print nothing; the exit code says it'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;score'= {
            cand --ledger 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]'
            cand --url 'Ask the server at this address instead: GET URL/score/AGENT_ID. If it wants to be paid, price and networks are shown (exit code 4); nothing is paid without --pay'
            cand --receipts 'Compute it from these receipts instead: files, folders (their *.json and *.jsonl), or - for standard input. Only genuine ones of trusted issuers count, each once'
            cand --public-key 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one'
            cand --agent-card 'The issuer''s agent card, which lists its keys: a file or an https address'
            cand --trust 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json'
            cand --max-price 'The most that may be paid, in dollars, such as 0.02'
            cand --wallet-key-file 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it'
            cand --format 'How the score is written'
            cand --color 'When to colour text for people'
            cand --jsonl 'Every input of --receipts has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so'
            cand --offline 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)'
            cand --pay 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;keygen'= {
            cand --key-version 'The name of the key in the card and in receipts [default: v1-, the date, and four bytes of the public key]'
            cand --agent-card 'The agent card that the key is added to'
            cand --color 'When to colour text for people'
            cand --show 'Make no key; print what to publish of the one in KEYFILE'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;template'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand infer 'Infer a template from outputs that are good'
            cand grade 'Say what passing a template is worth'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;template;infer'= {
            cand -o 'Write the template into a file, whole or not at all, instead of printing it'
            cand --output 'Write the template into a file, whole or not at all, instead of printing it'
            cand --color 'When to colour text for people'
            cand --explain 'Tell what everything in the template rests on, not only what is in doubt'
            cand --redact 'Let no value of the outputs into the template, nor into what is told: types, names and formats only, no `enum`'
            cand -q 'Tell nothing'
            cand --quiet 'Tell nothing'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;template;grade'= {
            cand --format 'How to report'
            cand -o 'Write the report into a file, whole or not at all, instead of printing it'
            cand --output 'Write the report into a file, whole or not at all, instead of printing it'
            cand --color 'When to colour text for people'
            cand --redact 'Show nothing of the output''s values in a report on one that cannot be read'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;template;help'= {
            cand infer 'Infer a template from outputs that are good'
            cand grade 'Say what passing a template is worth'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;template;help;infer'= {
        }
        &'aov;template;help;grade'= {
        }
        &'aov;template;help;help'= {
        }
        &'aov;serve'= {
            cand --config 'The configuration, a TOML file [default: what AOV_CONFIG names, if anything]'
            cand --listen 'The address to listen on; port 0 takes a free one [default: 127.0.0.1:8402]'
            cand --admin 'The address for GET /metrics; without it there is none'
            cand --public-url 'Where clients find the service, as receipts and payments name it [default: the address that it listens on, if that is this machine''s own]'
            cand --service 'The name of the service in receipts [default: aov]'
            cand --key-file 'The signing key, which aov keygen makes [default: AOV_SECRET_KEY, else aov.key in the data folder]'
            cand --ledger 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: ledger.sqlite in the data folder]'
            cand --free-per-day 'Free verifications for each client and day [default: 1000 where payments are taken, else no limit]'
            cand --log 'How requests are logged on standard error: text or json [default: text]'
            cand --set 'Set any key of the configuration, such as limits.workers=8'
            cand --color 'When to colour text for people'
            cand --print-config 'Print the whole configuration that would be used, and stop'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;mcp'= {
            cand --sign-key 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it'
            cand --public-url 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json'
            cand --service 'The name of your service in receipts [default: aov]'
            cand --ledger 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]'
            cand --color 'When to colour text for people'
            cand --stdio 'Said by some hosts; there is no other transport'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;ledger'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand payments 'List payments, newest first'
            cand reconcile 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;ledger;payments'= {
            cand --state 'Only those in this state'
            cand --limit 'At most so many'
            cand --ledger 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]'
            cand --format 'How the list is written'
            cand --color 'When to colour text for people'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;ledger;reconcile'= {
            cand --config 'The configuration of the server, which names ledger, facilitators and nodes [default: what AOV_CONFIG names]'
            cand --format 'How the result is written'
            cand --color 'When to colour text for people'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'aov;ledger;help'= {
            cand payments 'List payments, newest first'
            cand reconcile 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;ledger;help;payments'= {
        }
        &'aov;ledger;help;reconcile'= {
        }
        &'aov;ledger;help;help'= {
        }
        &'aov;completions'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;help'= {
            cand check 'Check outputs against agreed requirements'
            cand hash 'Print the hashes that a receipt carries'
            cand verify-receipt 'Verify receipts: genuine, whose, and about which data'
            cand score 'Show how often an agent''s output has passed'
            cand keygen 'Make a signing key, and print what to publish of it'
            cand template 'Make a template from good outputs, or say what passing a template is worth'
            cand serve 'Serve checks, scores and receipts over HTTP'
            cand mcp 'Serve the checks to an agent over MCP, on standard input and output'
            cand ledger 'List payments, and find out about those whose end is unknown'
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;help;check'= {
        }
        &'aov;help;hash'= {
        }
        &'aov;help;verify-receipt'= {
        }
        &'aov;help;score'= {
        }
        &'aov;help;keygen'= {
        }
        &'aov;help;template'= {
            cand infer 'Infer a template from outputs that are good'
            cand grade 'Say what passing a template is worth'
        }
        &'aov;help;template;infer'= {
        }
        &'aov;help;template;grade'= {
        }
        &'aov;help;serve'= {
        }
        &'aov;help;mcp'= {
        }
        &'aov;help;ledger'= {
            cand payments 'List payments, newest first'
            cand reconcile 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most'
        }
        &'aov;help;ledger;payments'= {
        }
        &'aov;help;ledger;reconcile'= {
        }
        &'aov;help;completions'= {
        }
        &'aov;help;help'= {
        }
    ]
    $completions[$command]
}
