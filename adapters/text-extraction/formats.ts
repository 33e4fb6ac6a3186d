import { ExtractionError, type TextFormat } from '../../src/ports/index.js'
import { type Content, contentOf } from './content.js'

/** What this extractor reads, by the ending of the name. */
export const FORMATS: readonly TextFormat[] = [
  { extension: '.pdf', contentType: 'application/pdf' },
  { extension: '.docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { extension: '.doc', contentType: 'application/msword' },
  { extension: '.txt', contentType: 'text/plain' },
  { extension: '.md', contentType: 'text/markdown' },
  { extension: '.csv', contentType: 'text/csv' },
]

/** What a file of each ending may hold. Word opens .doc and .docx by what they are; so does this. */
const WORD: readonly Content['kind'][] = ['word', 'ole', 'zip']
const TEXT: readonly Content['kind'][] = ['text', 'markup', 'unknown']
const ALLOWED: Readonly<Record<string, readonly Content['kind'][]>> = {
  // What is damaged at its beginning may be a PDF all the same.
  '.pdf': ['pdf', 'unknown'],
  '.docx': WORD,
  '.doc': WORD,
  '.txt': TEXT,
  '.md': TEXT,
  '.csv': TEXT,
}

/** The format that a name's ending says. */
export function formatOf(fileName: string): TextFormat {
  const lower = fileName.toLowerCase()
  const format = FORMATS.find(({ extension }) => lower.endsWith(extension))
  if (format !== undefined) return format
  const known = FORMATS.map(({ extension }) => extension).join(', ')
  throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The name must end in one of ${known}`)
}

/** Refuses bytes that are plainly something else than the name says. */
export async function identify(fileName: string, head: Uint8Array): Promise<TextFormat> {
  const format = formatOf(fileName)
  if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
  const content = await contentOf(head)
  if (ALLOWED[format.extension]?.includes(content.kind) === true) return format
  if (content.readAs !== undefined) {
    throw new ExtractionError(
      'ERR_WRONG_TYPE',
      `The content is ${content.name}, but the name ends in ${format.extension}: name it ${content.readAs}`,
    )
  }
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${content.name}, although the name ends in ${format.extension}, and is not read: save it as .docx, .pdf or .txt`,
  )
}
