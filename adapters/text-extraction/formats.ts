import { ExtractionError, type TextFormat } from '../../src/ports/index.js'

/** What this extractor reads, by the ending of the name. */
export const FORMATS: readonly TextFormat[] = [
  { extension: '.pdf', contentType: 'application/pdf' },
  { extension: '.docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { extension: '.doc', contentType: 'application/msword' },
  { extension: '.txt', contentType: 'text/plain' },
  { extension: '.md', contentType: 'text/markdown' },
  { extension: '.csv', contentType: 'text/csv' },
]

/** Containers that Word documents come in: OLE for .doc (and an encrypted .docx), zip for .docx. */
const OLE = 'application/x-cfb'
const ZIP = /^application\/(zip$|vnd\.openxmlformats-officedocument\.)/
const TEXT_TYPES = /^text\/|^application\/(xml|json|rtf)$|\+xml$/
const UTF_BYTE_ORDER_MARKS: readonly (readonly number[])[] = [
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x00, 0x00, 0xfe, 0xff],
]

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
  const found = await typeOf(head)
  const isRight = {
    '.pdf': () => found === undefined || found === 'application/pdf',
    '.docx': () => found === OLE || (found !== undefined && ZIP.test(found)),
    '.doc': () => found === OLE || (found !== undefined && ZIP.test(found)),
    '.txt': () => isText(found, head),
    '.md': () => isText(found, head),
    '.csv': () => isText(found, head),
  }[format.extension]
  if (isRight?.() === true) return format
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${nameOf(found, head)}, which is not what the ending ${format.extension} says`,
  )
}

async function typeOf(head: Uint8Array): Promise<string | undefined> {
  if (UTF_BYTE_ORDER_MARKS.some((mark) => mark.every((byte, index) => head[index] === byte))) return 'text/plain'
  const { fileTypeFromBuffer } = await import('file-type')
  return (await fileTypeFromBuffer(head))?.mime
}

/** Some words begin as binary files do ("BM…"), but only binary files have zero bytes besides. */
function isText(found: string | undefined, head: Uint8Array): boolean {
  return found === undefined || TEXT_TYPES.test(found) || (found !== 'application/pdf' && !head.includes(0))
}

function nameOf(found: string | undefined, head: Uint8Array): string {
  if (found === OLE) return 'an OLE container'
  if (found !== undefined) return found
  if (head[0] === 0xff && head[1] === 0x57) return 'WordPerfect'
  return head.includes(0) ? 'of an unknown kind' : 'plain text'
}
