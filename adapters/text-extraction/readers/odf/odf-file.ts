import { ExtractionError } from '../../../../src/ports/index.js'
import { encrypted } from '../doc/doc-container.js'
import { isZip } from '../docx/checked-zip.js'
import { DamagedPartError, DocxPackage } from '../docx/docx-package.js'
import { walkXml, type XmlVisitor } from '../docx/docx-xml.js'
import { fileTitle } from '../file-title.js'

export const CONTENT = 'content.xml'
export const STYLES = 'styles.xml'
const MANIFEST = 'META-INF/manifest.xml'
/** A longer title is cut before it is read. */
const MAX_TITLE_CHARACTERS = 10_000

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

/** The title of the file that its properties have. @returns '' without one that says something */
export async function odfTitle(file: DocxPackage): Promise<string> {
  let text = ''
  let title: string | undefined
  const properties = {
    open: () => {
      text = ''
    },
    close: (element: string) => {
      if (element === 'dc:title') title ??= text
    },
    text: (more: string) => {
      if (text.length < MAX_TITLE_CHARACTERS) text += more
    },
  }
  if (file.has('meta.xml')) await walkOdf(file, 'meta.xml', properties).catch(passDamage)
  return fileTitle(title)
}

/** @throws the error, unless it tells that a part is damaged */
export function passDamage(error: unknown): undefined {
  if (!(error instanceof DamagedPartError)) throw error
  return undefined
}

export function damaged(problem: string): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${problem}`)
}
