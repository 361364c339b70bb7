
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'aov' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'aov'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'aov' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check outputs against agreed requirements')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print the hashes that a receipt carries')
            [CompletionResult]::new('verify-receipt', 'verify-receipt', [CompletionResultType]::ParameterValue, 'Verify receipts: genuine, whose, and about which data')
            [CompletionResult]::new('score', 'score', [CompletionResultType]::ParameterValue, 'Show how often an agent''s output has passed')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a signing key, and print what to publish of it')
            [CompletionResult]::new('template', 'template', [CompletionResultType]::ParameterValue, 'Make a template from good outputs, or say what passing a template is worth')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve checks, scores and receipts over HTTP')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the checks to an agent over MCP, on standard input and output')
            [CompletionResult]::new('ledger', 'ledger', [CompletionResultType]::ParameterValue, 'List payments, and find out about those whose end is unknown')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions for a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;check' {
            [CompletionResult]::new('--files-from', '--files-from', [CompletionResultType]::ParameterName, 'Check the files that this file lists, one a line or apart by NUL; `-` is standard input')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'How many threads check [default: one per processor]')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema that the output must satisfy')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'A `verification-template/1` file, which holds schema, rules and bounds')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'The task''s id [default with parts: the name of the output''s file]')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'The agent''s id [default with parts: none]')
            [CompletionResult]::new('--sign-key', '--sign-key', [CompletionResultType]::ParameterName, 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it')
            [CompletionResult]::new('--public-url', '--public-url', [CompletionResultType]::ParameterName, 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json')
            [CompletionResult]::new('--service', '--service', [CompletionResultType]::ParameterName, 'The name of your service in receipts [default: aov]')
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to report')
            [CompletionResult]::new('--detail', '--detail', [CompletionResultType]::ParameterName, 'How much to report; full unless the request says otherwise')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--url', '--url', [CompletionResultType]::ParameterName, 'Send the request to the server at this address and verify its signed answer: POST URL/verify/schema. If it wants to be paid, price and networks are shown (exit code 4)')
            [CompletionResult]::new('--public-key', '--public-key', [CompletionResultType]::ParameterName, 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one')
            [CompletionResult]::new('--agent-card', '--agent-card', [CompletionResultType]::ParameterName, 'The issuer''s agent card, which lists its keys: a file or an https address')
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json')
            [CompletionResult]::new('--max-price', '--max-price', [CompletionResultType]::ParameterName, 'The most that may be paid, in dollars, such as 0.02')
            [CompletionResult]::new('--wallet-key-file', '--wallet-key-file', [CompletionResultType]::ParameterName, 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--jsonl', '--jsonl', [CompletionResultType]::ParameterName, 'Take each line of each FILE as an input, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so')
            [CompletionResult]::new('--fail-fast', '--fail-fast', [CompletionResultType]::ParameterName, 'Stop at the first input that does not pass')
            [CompletionResult]::new('--enforce-rules', '--enforce-rules', [CompletionResultType]::ParameterName, 'Let findings of rules and bounds fail the result, whether or not the requirements say so')
            [CompletionResult]::new('--strict-content', '--strict-content', [CompletionResultType]::ParameterName, 'Let control characters, HTML markup and `javascript:` fail the result')
            [CompletionResult]::new('--allow-unknown-fields', '--allow-unknown-fields', [CompletionResultType]::ParameterName, 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record each verdict that is about an agent_id, for aov score; ids that begin with test- are never recorded')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Show types instead of values of outputs, in every format; names, paths and hashes stay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report: the exit code tells')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report: the exit code tells')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)')
            [CompletionResult]::new('--pay', '--pay', [CompletionResultType]::ParameterName, 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;hash' {
            [CompletionResult]::new('--vectors', '--vectors', [CompletionResultType]::ParameterName, 'Check published request_hash test vectors (a list, or an agent card); without VECTORS the three built in')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema that the output must satisfy')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'A `verification-template/1` file, which holds schema, rules and bounds')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'The task''s id [default with parts: the name of the output''s file]')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'The agent''s id [default with parts: none]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print; json gives an object, or with a NAME a string')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--value', '--value', [CompletionResultType]::ParameterName, 'FILE is any JSON value, such as a bare output or a schema: print its hash and nothing else')
            [CompletionResult]::new('--canonical', '--canonical', [CompletionResultType]::ParameterName, 'Print the exact bytes that are hashed instead; with a NAME or --value')
            [CompletionResult]::new('--enforce-rules', '--enforce-rules', [CompletionResultType]::ParameterName, 'Let findings of rules and bounds fail the result, whether or not the requirements say so')
            [CompletionResult]::new('--strict-content', '--strict-content', [CompletionResultType]::ParameterName, 'Let control characters, HTML markup and `javascript:` fail the result')
            [CompletionResult]::new('--allow-unknown-fields', '--allow-unknown-fields', [CompletionResultType]::ParameterName, 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;verify-receipt' {
            [CompletionResult]::new('--public-key', '--public-key', [CompletionResultType]::ParameterName, 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one')
            [CompletionResult]::new('--agent-card', '--agent-card', [CompletionResultType]::ParameterName, 'The issuer''s agent card, which lists its keys: a file or an https address')
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Which kind of receipt this must be [default: by its own fields]')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'The whole request that the receipt should be about')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The output that the receipt should be about')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The schema that it should have been checked against')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'The rules and bounds that it should have been checked against: an object with `rules`, `bounds` and `enforce_rules`')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'task_id must be this')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'agent_id must be this')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'Not older than this (s, min, h, d or w), and not more than 5 minutes in the future')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How the report is written')
            [CompletionResult]::new('--emit-signed-bytes', '--emit-signed-bytes', [CompletionResultType]::ParameterName, 'Write the exact bytes under the signature of a single receipt to FILE; with - they are printed, and no report')
            [CompletionResult]::new('-j', '-j', [CompletionResultType]::ParameterName, 'How many receipts to work on at a time [default: one for each core]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'How many receipts to work on at a time [default: one for each core]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--jsonl', '--jsonl', [CompletionResultType]::ParameterName, 'Every input has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Run the check again and compare its result with the receipt''s')
            [CompletionResult]::new('--allow-unknown-fields', '--allow-unknown-fields', [CompletionResultType]::ParameterName, 'Ignore fields that a request does not have, as the hosted service does')
            [CompletionResult]::new('--require-pass', '--require-pass', [CompletionResultType]::ParameterName, 'The result must be pass; without this, a genuine receipt of a fail is accepted')
            [CompletionResult]::new('--require-enforced', '--require-enforced', [CompletionResultType]::ParameterName, 'Rules and bounds must have been binding (enforce_rules)')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Show types instead of values of receipts, in every format; the result, names, paths and codes stay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print nothing; the exit code says it')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print nothing; the exit code says it')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;score' {
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]')
            [CompletionResult]::new('--url', '--url', [CompletionResultType]::ParameterName, 'Ask the server at this address instead: GET URL/score/AGENT_ID. If it wants to be paid, price and networks are shown (exit code 4); nothing is paid without --pay')
            [CompletionResult]::new('--receipts', '--receipts', [CompletionResultType]::ParameterName, 'Compute it from these receipts instead: files, folders (their *.json and *.jsonl), or - for standard input. Only genuine ones of trusted issuers count, each once')
            [CompletionResult]::new('--public-key', '--public-key', [CompletionResultType]::ParameterName, 'The issuer''s public key: base64 of 32 bytes, a line aov-public-key-v1:…, or a file with one')
            [CompletionResult]::new('--agent-card', '--agent-card', [CompletionResultType]::ParameterName, 'The issuer''s agent card, which lists its keys: a file or an https address')
            [CompletionResult]::new('--trust', '--trust', [CompletionResultType]::ParameterName, 'Trust this issuer too: the key is fetched from https://HOST/.well-known/agent-card.json')
            [CompletionResult]::new('--max-price', '--max-price', [CompletionResultType]::ParameterName, 'The most that may be paid, in dollars, such as 0.02')
            [CompletionResult]::new('--wallet-key-file', '--wallet-key-file', [CompletionResultType]::ParameterName, 'The private key of the account that pays, 64 hexadecimal digits; without this option AOV_WALLET_KEY may hold it')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How the score is written')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--jsonl', '--jsonl', [CompletionResultType]::ParameterName, 'Every input of --receipts has one receipt on each line, also out of gzip; *.jsonl, *.ndjson and *.jsonl.gz are always read so')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Fetch nothing: the key is given, pinned or cached, or there is no verdict (exit code 3)')
            [CompletionResult]::new('--pay', '--pay', [CompletionResultType]::ParameterName, 'Pay for the answer if the server wants it (x402, USDC on Base): once, and no more than --max-price. Nothing is ever paid without this')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;keygen' {
            [CompletionResult]::new('--key-version', '--key-version', [CompletionResultType]::ParameterName, 'The name of the key in the card and in receipts [default: v1-, the date, and four bytes of the public key]')
            [CompletionResult]::new('--agent-card', '--agent-card', [CompletionResultType]::ParameterName, 'The agent card that the key is added to')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--show', '--show', [CompletionResultType]::ParameterName, 'Make no key; print what to publish of the one in KEYFILE')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;template' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('infer', 'infer', [CompletionResultType]::ParameterValue, 'Infer a template from outputs that are good')
            [CompletionResult]::new('grade', 'grade', [CompletionResultType]::ParameterValue, 'Say what passing a template is worth')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;template;infer' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the template into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the template into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Tell what everything in the template rests on, not only what is in doubt')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Let no value of the outputs into the template, nor into what is told: types, names and formats only, no `enum`')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Tell nothing')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Tell nothing')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;template;grade' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to report')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--redact', '--redact', [CompletionResultType]::ParameterName, 'Show nothing of the output''s values in a report on one that cannot be read')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;template;help' {
            [CompletionResult]::new('infer', 'infer', [CompletionResultType]::ParameterValue, 'Infer a template from outputs that are good')
            [CompletionResult]::new('grade', 'grade', [CompletionResultType]::ParameterValue, 'Say what passing a template is worth')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;template;help;infer' {
            break
        }
        'aov;template;help;grade' {
            break
        }
        'aov;template;help;help' {
            break
        }
        'aov;serve' {
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'The configuration, a TOML file [default: what AOV_CONFIG names, if anything]')
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'The address to listen on; port 0 takes a free one [default: 127.0.0.1:8402]')
            [CompletionResult]::new('--admin', '--admin', [CompletionResultType]::ParameterName, 'The address for GET /metrics; without it there is none')
            [CompletionResult]::new('--public-url', '--public-url', [CompletionResultType]::ParameterName, 'Where clients find the service, as receipts and payments name it [default: the address that it listens on, if that is this machine''s own]')
            [CompletionResult]::new('--service', '--service', [CompletionResultType]::ParameterName, 'The name of the service in receipts [default: aov]')
            [CompletionResult]::new('--key-file', '--key-file', [CompletionResultType]::ParameterName, 'The signing key, which aov keygen makes [default: AOV_SECRET_KEY, else aov.key in the data folder]')
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: ledger.sqlite in the data folder]')
            [CompletionResult]::new('--free-per-day', '--free-per-day', [CompletionResultType]::ParameterName, 'Free verifications for each client and day [default: 1000 where payments are taken, else no limit]')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'How requests are logged on standard error: text or json [default: text]')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Set any key of the configuration, such as limits.workers=8')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--print-config', '--print-config', [CompletionResultType]::ParameterName, 'Print the whole configuration that would be used, and stop')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;mcp' {
            [CompletionResult]::new('--sign-key', '--sign-key', [CompletionResultType]::ParameterName, 'Sign with the key in FILE, which aov keygen makes; - reads it from standard input, and without this option AOV_SECRET_KEY may hold it')
            [CompletionResult]::new('--public-url', '--public-url', [CompletionResultType]::ParameterName, 'Where your agent card can be fetched: below this address, at /.well-known/agent-card.json')
            [CompletionResult]::new('--service', '--service', [CompletionResultType]::ParameterName, 'The name of your service in receipts [default: aov]')
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--stdio', '--stdio', [CompletionResultType]::ParameterName, 'Said by some hosts; there is no other transport')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;ledger' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('payments', 'payments', [CompletionResultType]::ParameterValue, 'List payments, newest first')
            [CompletionResult]::new('reconcile', 'reconcile', [CompletionResultType]::ParameterValue, 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;ledger;payments' {
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only those in this state')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many')
            [CompletionResult]::new('--ledger', '--ledger', [CompletionResultType]::ParameterName, 'The ledger: a SQLite file, or postgres://USER@HOST/DATABASE, whose password is taken from PGPASSWORD [default: what AOV_LEDGER names, else ledger.sqlite in the data folder]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How the list is written')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;ledger;reconcile' {
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'The configuration of the server, which names ledger, facilitators and nodes [default: what AOV_CONFIG names]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How the result is written')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'aov;ledger;help' {
            [CompletionResult]::new('payments', 'payments', [CompletionResultType]::ParameterValue, 'List payments, newest first')
            [CompletionResult]::new('reconcile', 'reconcile', [CompletionResultType]::ParameterValue, 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;ledger;help;payments' {
            break
        }
        'aov;ledger;help;reconcile' {
            break
        }
        'aov;ledger;help;help' {
            break
        }
        'aov;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check outputs against agreed requirements')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print the hashes that a receipt carries')
            [CompletionResult]::new('verify-receipt', 'verify-receipt', [CompletionResultType]::ParameterValue, 'Verify receipts: genuine, whose, and about which data')
            [CompletionResult]::new('score', 'score', [CompletionResultType]::ParameterValue, 'Show how often an agent''s output has passed')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a signing key, and print what to publish of it')
            [CompletionResult]::new('template', 'template', [CompletionResultType]::ParameterValue, 'Make a template from good outputs, or say what passing a template is worth')
            [CompletionResult]::new('serve', 'serve', [CompletionResultType]::ParameterValue, 'Serve checks, scores and receipts over HTTP')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Serve the checks to an agent over MCP, on standard input and output')
            [CompletionResult]::new('ledger', 'ledger', [CompletionResultType]::ParameterValue, 'List payments, and find out about those whose end is unknown')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions for a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;help;check' {
            break
        }
        'aov;help;hash' {
            break
        }
        'aov;help;verify-receipt' {
            break
        }
        'aov;help;score' {
            break
        }
        'aov;help;keygen' {
            break
        }
        'aov;help;template' {
            [CompletionResult]::new('infer', 'infer', [CompletionResultType]::ParameterValue, 'Infer a template from outputs that are good')
            [CompletionResult]::new('grade', 'grade', [CompletionResultType]::ParameterValue, 'Say what passing a template is worth')
            break
        }
        'aov;help;template;infer' {
            break
        }
        'aov;help;template;grade' {
            break
        }
        'aov;help;serve' {
            break
        }
        'aov;help;mcp' {
            break
        }
        'aov;help;ledger' {
            [CompletionResult]::new('payments', 'payments', [CompletionResultType]::ParameterValue, 'List payments, newest first')
            [CompletionResult]::new('reconcile', 'reconcile', [CompletionResultType]::ParameterValue, 'Find out about payments whose end is unknown: by the facilitator, and by a node where rpc_url names one. The same payment is sent again, which can charge it once at most')
            break
        }
        'aov;help;ledger;payments' {
            break
        }
        'aov;help;ledger;reconcile' {
            break
        }
        'aov;help;completions' {
            break
        }
        'aov;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
