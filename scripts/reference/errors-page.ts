/** The page of the error codes and of the reasons. */
import { REASON_TEXTS } from '../../adapters/console/app/api/reason-texts.js'
import { ERROR_REASON_CODES, ERROR_REASONS } from '../../src/kernel/errors/error-reasons.js'
import { type ErrorClass, errorClasses } from './error-classes.js'
import { ERROR_GROUPS, type ErrorNote, INNER_CODES } from './error-notes.js'
import { code, generatedNote, page, sentence, table } from './markdown.js'
import { statusesInSources } from './source-codes.js'

const INTRODUCTION = `Every error that the engine throws on purpose is an \`AlcoveError\` with a stable \`code\`. The message says what is wrong and what to do. \`isTransient\` tells whether the same call may succeed later without any change.

The command line ends its message with the code. The REST API answers with a problem document (RFC 9457) whose member \`code\` is the code. A document that fails after its upload has an \`error\`, a sentence that ends with the code. \`DocumentFailedError\` carries the code of such a document. Until somebody deletes the document, it counts towards the quota of its context.

An answer with status 500 or 503 says no more than that something failed: the log has the rest.`

const REASONS = `An error, a failed delivery and a warning about a document may have a \`reason\`: a stable code, and the values of its sentence by name. A page in another language makes its sentence of them. \`ERR_FORBIDDEN\`, \`ERR_IN_USE\`, \`ERR_ALREADY_EXISTS\` and \`ERR_LIMIT_REACHED\` always have one.

The sentences of the table are those of the console, which calls a context a GPT. A parameter with a question mark may be missing. The parameter \`count\` chooses between singular and plural.`

interface Described extends ErrorNote {
  readonly code: string
  readonly of: ErrorClass | undefined
  readonly status: string
}

export function errorsPage(): string {
  const classes = errorClasses()
  const statuses = statusesInSources()
  const groups = ERROR_GROUPS.map(({ title, notes }) => ({
    title,
    errors: Object.entries(notes).map(([name, note]) => describe(name, note, classes, statuses)),
  }))
  const overview = groups.flatMap(({ errors }) =>
    errors.map((error) => [
      `[${code(error.code)}](#${error.code.toLowerCase()})`,
      error.of?.isExported === true ? code(error.of.name) : '',
      error.status,
    ]),
  )
  return page(
    '# Errors',
    generatedNote('the error classes and the table of statuses of the HTTP server'),
    INTRODUCTION,
    '## All codes',
    table(['Code', 'Class', 'HTTP status'], overview),
    ...groups.flatMap(({ title, errors }) => [`## ${title}`, ...errors.map(section)]),
    '## Reasons',
    REASONS,
    table(['Reason', 'Parameters', 'Sentence'], ERROR_REASON_CODES.map(reasonRow)),
    '## Codes that stay inside',
    'The sources name these codes too. No caller gets them.',
    table(
      ['Code', 'What it is'],
      Object.entries(INNER_CODES).map(([name, text]) => [code(name), text]),
    ),
  )
}

function describe(
  name: string,
  note: ErrorNote,
  classes: readonly ErrorClass[],
  statuses: ReadonlyMap<string, ReadonlySet<number>>,
): Described {
  // A class that stands for one case of another, such as a name that does not resolve, comes after it.
  const of = classes.find(({ codes }) => codes.includes(name))
  const when = note.when ?? (of?.codes.length === 1 || isAbout(of) ? of?.description : undefined)
  if (when === undefined) throw new Error(`${name} has no description: give it one in scripts/reference/error-notes.ts`)
  return { ...note, code: name, of, when, status: statusOf(note, of, statuses.get(name)) }
}

/** True if one sentence describes all codes of a class: they differ only in the missing thing. */
function isAbout(of: ErrorClass | undefined): boolean {
  return of?.codes.every((each) => each.endsWith('_NOT_FOUND')) ?? false
}

function statusOf(note: ErrorNote, of: ErrorClass | undefined, found: ReadonlySet<number> | undefined): string {
  if (note.isOutsideHttp === true || note.isRecorded === true) return 'none'
  if (found !== undefined) return [...found].sort().join(', ')
  if (of === undefined) return 'none'
  if (of.isTransient === 'sometimes') return '500, or 503 where `isTransient`'
  return of.isTransient ? '503' : '500'
}

function section({ code: name, of, status, when = '', advice, isRecorded }: Described): string {
  const facts = [
    ...(of?.isExported === true ? [`Class: ${code(of.name)}.`] : []),
    `HTTP status: ${status}.`,
    ...(isRecorded === true ? ['The upload is accepted: the `error` of the document ends in the code.'] : []),
    ...(of?.isTransient === true ? ['The same call may succeed later.'] : []),
  ]
  return [`### ${name}`, sentence(when), `What to do: ${advice}`, facts.join(' ')].join('\n\n')
}

function reasonRow(name: keyof typeof ERROR_REASONS): string[] {
  const text = REASON_TEXTS.en[name]
  const parameters = ERROR_REASONS[name].map((parameter) => code(parameter))
  return [code(name), parameters.join(', '), typeof text === 'string' ? text : text[1]]
}
