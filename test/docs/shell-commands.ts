import { parse } from 'shell-quote'

/** Tokens that end one command and begin the next. */
const SEPARATORS: ReadonlySet<string> = new Set(['|', '|&', '||', '&&', ';', '&', '(', ')', ';;'])
const SUBSTITUTION = /\$\(([^()]*)\)/g

/** The arguments of each `alcove` that a script runs. A shell variable stays `$name`. */
export function alcoveCommands(script: string): string[][] {
  return logicalLines(script).flatMap((line) => {
    const inner = [...line.matchAll(SUBSTITUTION)].flatMap(([, command = '']) => alcoveCommands(command))
    const words = commandsOf(line.replaceAll(SUBSTITUTION, '$SUBSTITUTION'))
    return [...inner, ...words.map(argumentsOf).filter((args) => args !== undefined)]
  })
}

/** Lines as the shell reads them: a backslash or an open quotation mark joins the next line. */
function logicalLines(script: string): string[] {
  const lines: string[] = []
  let rest = ''
  let end: string | undefined
  for (const line of script.split('\n')) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined
      continue
    }
    rest += line
    if (/(^|[^\\])(\\\\)*\\$/.test(rest)) rest = rest.slice(0, -1)
    else if (isOpen(rest)) rest += '\n'
    else {
      end = /<<-?\s*['"]?(\w+)/.exec(rest)?.[1]
      lines.push(rest)
      rest = ''
    }
  }
  return rest === '' ? lines : [...lines, rest]
}

/** True while a quotation is open. A comment has no quotation. */
function isOpen(text: string): boolean {
  const quoted = /\\.|'[^']*'|"(?:\\.|[^"\\])*"|(?:^|\s)#.*/gs
  return /['"]/.test(text.replaceAll(quoted, ''))
}

/** The words of each command of a line, without redirections and comments. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (const word of parse(line, (name) => `$${name}`)) {
    if (typeof word === 'string') {
      if (!isTarget) commands.at(-1)?.push(word)
      isTarget = false
    } else if ('comment' in word) {
      break
    } else if (word.op === 'glob') {
      commands.at(-1)?.push(word.pattern)
    } else if (SEPARATORS.has(word.op)) commands.push([])
    else isTarget = true
  }
  return commands
}

/** The arguments after `alcove`, `npx alcove` and `VARIABLE=value alcove`; `undefined` for other commands. */
function argumentsOf(words: readonly string[]): string[] | undefined {
  const first = words.findIndex((word) => !/^(\$|[A-Z_][A-Z0-9_]*=.*|npx|--yes|-y|sudo|time|exec)$/s.test(word))
  return words[first] === 'alcove' ? words.slice(first + 1) : undefined
}
