
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
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions for a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'aov;check' {
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'The JSON Schema that the output must satisfy')
            [CompletionResult]::new('--rules', '--rules', [CompletionResultType]::ParameterName, 'A JSON file with `rules`, `bounds` and `enforce_rules`, each of which may be missing')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'A `verification-template/1` file, which holds schema, rules and bounds')
            [CompletionResult]::new('--task-id', '--task-id', [CompletionResultType]::ParameterName, 'The task''s id [default with parts: the name of the output''s file]')
            [CompletionResult]::new('--agent-id', '--agent-id', [CompletionResultType]::ParameterName, 'The agent''s id [default with parts: none]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to report; json prints exactly the response body (or the error), of one input')
            [CompletionResult]::new('--detail', '--detail', [CompletionResultType]::ParameterName, 'How much to report; full unless the request says otherwise')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the report into a file, whole or not at all, instead of printing it')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('--enforce-rules', '--enforce-rules', [CompletionResultType]::ParameterName, 'Let findings of rules and bounds fail the result, whether or not the requirements say so')
            [CompletionResult]::new('--strict-content', '--strict-content', [CompletionResultType]::ParameterName, 'Let control characters, HTML markup and `javascript:` fail the result')
            [CompletionResult]::new('--allow-unknown-fields', '--allow-unknown-fields', [CompletionResultType]::ParameterName, 'Ignore fields that a request does not have, as the hosted service does; they may be typing errors that bind nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print no report: the exit code tells')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print no report: the exit code tells')
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
        'aov;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to colour text for people')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'aov;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check outputs against agreed requirements')
            [CompletionResult]::new('hash', 'hash', [CompletionResultType]::ParameterValue, 'Print the hashes that a receipt carries')
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
