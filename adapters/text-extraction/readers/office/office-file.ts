import { ExtractionError } from '../../../../src/ports/index.js'
import { wrongType } from '../../wrong-type.js'
import { encrypted, MSG_STREAM, topLevelStreams } from '../doc/doc-container.js'
import { DamagedPartError, DocxPackage, relationshipsOf, resolvePart } from '../docx/docx-package.js'
import { type Attributes, walkXml, type XmlVisitor } from '../docx/docx-xml.js'
import { TitleProperty } from './title-property.js'

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex')
/** Documents in an OLE container by their stream. */
const OLE_DOCUMENTS: readonly (readonly [stream: string, name: string, advice: string])[] = [
  ['workbook', 'an Excel workbook of 2003 or earlier (.xls)', 'save it as .xlsx'],
  ['book', 'an Excel workbook of 95 or earlier (.xls)', 'save it as .xlsx'],
  ['powerpoint document', 'a PowerPoint presentation of 2003 or earlier (.ppt)', 'save it as .pptx'],
]

/**
 * Opens a workbook or a presentation.
 *
 * @param extension the extension under which Office saves it
 * @throws ExtractionError `ERR_ENCRYPTED`, `ERR_UNSUPPORTED_FORMAT`, `ERR_WRONG_TYPE`, `ERR_CORRUPT_FILE`
 */
export async function openOffice(bytes: Buffer, extension: string): Promise<DocxPackage> {
  if (!bytes.subarray(0, OLE.length).equals(OLE)) return await DocxPackage.open(bytes)
  const streams = topLevelStreams(bytes)
  if (streams.has('encryptedpackage')) throw encrypted()
  if (streams.has('worddocument')) {
    throw wrongType('a Word document', extension, '.doc')
  }
  if (streams.has(MSG_STREAM)) throw wrongType('a mail of Outlook', extension, '.msg')
  const [, name, advice] = OLE_DOCUMENTS.find(([stream]) => streams.has(stream)) ?? [
    '',
    'an OLE container of another program',
    `save it as ${extension}`,
  ]
  throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The content is ${name}, which is not supported: ${advice}`)
}

/** A reference from one part to another. */
export interface Relationship {
  readonly id: string
  /** The last segment of its type. */
  readonly type: string
  readonly part: string
}

/** The references of a part, or of the package if `from` is ''. A package without them has none. */
export async function relationshipsIn(file: DocxPackage, from: string): Promise<readonly Relationship[]> {
  const found: Relationship[] = []
  const name = from === '' ? '_rels/.rels' : relationshipsOf(from)
  if (!file.has(name)) return found
  await walk(file, name, (element, attribute) => {
    const target = attribute('Target')
    if (element !== 'rel:Relationship' || target === undefined || attribute('TargetMode') === 'External') return
    const type = attribute('Type')?.split('/').at(-1) ?? ''
    found.push({ id: attribute('Id') ?? '', type, part: resolvePart(from, target) })
  })
  return found
}

/** The name of the main part. @throws ExtractionError `ERR_CORRUPT_FILE` if the file has none */
export async function mainPartOf(file: DocxPackage, usualName: string): Promise<string> {
  const relationships = await relationshipsIn(file, '').catch(() => [])
  const related = relationships.find(({ type, part }) => type === 'officeDocument' && file.has(part))
  if (related !== undefined) return related.part
  if (file.has(usualName)) return usualName
  throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged: the part with its text is missing')
}

/** The title of the file that its properties have. @returns '' without one that says something */
export async function titleOf(file: DocxPackage): Promise<string> {
  const properties = new TitleProperty((element) => element.endsWith(':title'))
  try {
    const related = (await relationshipsIn(file, '')).find(({ type }) => type === 'core-properties')
    const part = related?.part ?? 'docProps/core.xml'
    if (file.has(part)) await walk(file, part, properties)
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
  }
  return properties.title
}

/** The references by their ids. The first of several with one id counts. */
export function byId(relationships: readonly Relationship[]): ReadonlyMap<string, Relationship> {
  return new Map(relationships.toReversed().map((relationship) => [relationship.id, relationship]))
}

/** Walks over a whole part. @throws DamagedPartError if it is missing or damaged */
export async function walk(
  file: DocxPackage,
  part: string,
  visitor: XmlVisitor | ((element: string, attribute: Attributes) => void),
): Promise<void> {
  const whole =
    typeof visitor === 'function' ? { open: visitor, close: () => undefined, text: () => undefined } : visitor
  for await (const _ of walkXml(file.bytes(part), whole, part));
}
