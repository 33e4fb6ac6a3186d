import { ExtractionError, type TextFormat } from '../../src/ports/index.js'
import { type Content, contentOf } from './content.js'

/** The formats that this extractor reads, by the extension of the name. */
export const FORMATS: readonly TextFormat[] = [
  { extension: '.pdf', contentType: 'application/pdf' },
  { extension: '.docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { extension: '.doc', contentType: 'application/msword' },
  { extension: '.txt', contentType: 'text/plain' },
  { extension: '.md', contentType: 'text/markdown' },
  { extension: '.csv', contentType: 'text/csv' },
]

/** The contents that each extension allows. Word opens .doc and .docx by their content, and so does this extractor. */
const WORD_KINDS: readonly Content['kind'][] = ['word', 'ole', 'zip']
const TEXT_KINDS: readonly Content['kind'][] = ['text', 'markup', 'unknown']
const ALLOWED: Readonly<Record<string, readonly Content['kind'][]>> = {
  // A file with a damaged beginning may still be a PDF.
  '.pdf': ['pdf', 'unknown'],
  '.docx': WORD_KINDS,
  '.doc': WORD_KINDS,
  '.txt': TEXT_KINDS,
  '.md': TEXT_KINDS,
  '.csv': TEXT_KINDS,
}

/** The format for the extension of a name. @throws ExtractionError `ERR_UNSUPPORTED_FORMAT` */
export function formatOf(fileName: string): TextFormat {
  const lower = fileName.toLowerCase()
  const format = FORMATS.find(({ extension }) => lower.endsWith(extension))
  if (format !== undefined) return format
  const known = FORMATS.map(({ extension }) => extension).join(', ')
  throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The name must end with one of ${known}`)
}

/** Checks that the first bytes of a file fit its name. @throws ExtractionError */
export async function identify(fileName: string, head: Uint8Array): Promise<TextFormat> {
  const format = formatOf(fileName)
  if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
  const content = await contentOf(head)
  if (ALLOWED[format.extension]?.includes(content.kind) === true) return format
  if (content.readAs !== undefined) {
    throw new ExtractionError(
      'ERR_WRONG_TYPE',
      `The content is ${content.name}, but the name ends with ${format.extension}: rename the file to ${content.readAs}`,
    )
  }
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${content.name}, which is not supported, although the name ends with ${format.extension}: save it as .docx, .pdf or .txt`,
  )
}
