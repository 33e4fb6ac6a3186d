import { ExtractionError } from '../../../../src/ports/index.js'
import { encrypted } from '../doc/doc-container.js'
import { isZip } from '../docx/checked-zip.js'
import { DamagedPartError, DocxPackage } from '../docx/docx-package.js'
import { walkXml, type XmlVisitor } from '../docx/docx-xml.js'
import type { MarkedLines } from '../marked-lines.js'
import { TitleProperty } from '../office/title-property.js'
import { textMayBeMissing } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { type OdfHandler, OdfWalker } from './odf-walker.js'

const CONTENT = 'content.xml'
export const STYLES = 'styles.xml'
const MANIFEST = 'META-INF/manifest.xml'

/**
 * Opens an OpenDocument file.
 * @throws ExtractionError `ERR_ENCRYPTED`, `ERR_CORRUPT_FILE`
 */
export async function openOdf(bytes: Buffer): Promise<DocxPackage> {
  if (!isZip(bytes)) throw damaged('it is no zip')
  const file = await DocxPackage.open(bytes)
  if (await isEncrypted(file)) throw encrypted()
  if (!file.has(CONTENT)) throw damaged('the part with its text is missing')
  return file
}

/** True if the list of parts says that one of them is encrypted. */
async function isEncrypted(file: DocxPackage): Promise<boolean> {
  const names = new Set<string>()
  const manifest = {
    open: (name: string) => {
      if (name.endsWith(':encryption-data')) names.add(name)
    },
    close: () => undefined,
    text: () => undefined,
  }
  // A file with a damaged list of its parts is read.
  if (file.has(MANIFEST)) await walkOdf(file, MANIFEST, manifest).catch(passDamage)
  return names.size > 0
}

/** Walks over a whole part. Some programs declare document types. @throws DamagedPartError if it is missing or damaged */
export async function walkOdf(file: DocxPackage, part: string, visitor: XmlVisitor): Promise<void> {
  for await (const _ of walkXml(file.bytes(part), visitor, part, { hasDocumentType: true }));
}

/** The content of a file while it is read. */
interface ReadContent {
  readonly handler: OdfHandler
  /** The lines of the handler: long ones are yielded while the content is read. */
  readonly out: MarkedLines
  /** True if the content had any text before its damage. */
  readonly hasText: () => boolean
  readonly warnings: ReaderWarning[]
}

/**
 * Reads the main content. Damage is a warning if there is text before it.
 * @throws ExtractionError `ERR_CORRUPT_FILE`
 */
export async function* contentPieces(
  file: DocxPackage,
  { handler, out, hasText, warnings }: ReadContent,
): AsyncGenerator<ReaderPiece> {
  try {
    const walk = walkXml(file.bytes(CONTENT), new OdfWalker(handler), CONTENT, { hasDocumentType: true })
    for await (const _ of walk) yield* out.longPieces()
  } catch (error) {
    passDamage(error)
    if (!hasText()) throw damaged(`${CONTENT} is damaged`)
    warnings.push(textMayBeMissing(`${CONTENT} is damaged`))
  }
}

/** The title of the file that its properties have. @returns '' without one that says something */
export async function odfTitle(file: DocxPackage): Promise<string> {
  const properties = new TitleProperty((element) => element === 'dc:title')
  if (file.has('meta.xml')) await walkOdf(file, 'meta.xml', properties).catch(passDamage)
  return properties.title
}

/** @throws the error, unless it tells that a part is damaged */
export function passDamage(error: unknown): undefined {
  if (!(error instanceof DamagedPartError)) throw error
  return undefined
}

function damaged(problem: string): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${problem}`)
}
