import iconv from 'iconv-lite'
import { SaxesParser } from 'saxes'
import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError } from './docx-package.js'

/** The value of an element's attribute, under any prefix. `:id` is the name of one that has a prefix. */
export type Attributes = (localName: string) => string | undefined

/** True if a switch is on: also one without a value. */
export function isOn(value: string | undefined): boolean {
  return !/^(?:0|false|off)$/.test(value ?? '')
}

/** Receives the events of a walk over XML, in their order. Names have the usual prefix of their namespace. */
export interface XmlVisitor {
  open(name: string, attribute: Attributes): void
  close(name: string): void
  text(text: string): void
}

/** Office never writes deeper XML, and its namespaces are slow to resolve. */
const MAX_DEPTH = 512

/** @param names the last parts of the namespaces, each with its usual prefix if that is another one */
function openDocument(names: string): Record<string, string> {
  return Object.fromEntries(
    names.split(' ').map((each) => {
      const [name = '', prefix = name] = each.split(':')
      return [`urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`, prefix]
    }),
  )
}

const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
    'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
    'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
    'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
    'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
    'http://purl.oclc.org/ooxml/drawingml/main': 'a',
    'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
    'http://purl.oclc.org/ooxml/drawingml/chart': 'c',
    'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
    'http://schemas.openxmlformats.org/package/2006/relationships': 'rel',
    'http://schemas.openxmlformats.org/spreadsheetml/2006/main': 'x',
    'http://purl.oclc.org/ooxml/spreadsheetml/main': 'x',
    'http://schemas.openxmlformats.org/presentationml/2006/main': 'p',
    'http://purl.oclc.org/ooxml/presentationml/main': 'p',
    'urn:schemas-microsoft-com:vml': 'v',
    'http://purl.org/dc/elements/1.1/': 'dc',
    'http://www.w3.org/1998/Math/MathML': 'math',
    ...openDocument('office style text table drawing:draw presentation chart datastyle:number manifest'),
  }),
)

/**
 * Walks over the XML of a part while it is read. Invalid XML does not end the walk: the error is thrown at the end.
 *
 * @param options.hasDocumentType true if the part may declare a document type. Its entities are never read
 * @yields after each piece of the part
 * @throws DamagedPartError at the end, if the bytes or the XML are damaged
 */
export async function* walkXml(
  bytes: AsyncIterable<Buffer>,
  visitor: XmlVisitor,
  name: string,
  { hasDocumentType = false }: { readonly hasDocumentType?: boolean } = {},
): AsyncGenerator<void> {
  const open: string[] = []
  const parser = createParser(visitor, open, name, hasDocumentType)
  let error: unknown
  parser.on('error', (first) => {
    error ??= first
  })
  try {
    for await (const text of decode(bytes)) {
      parser.write(text)
      yield
    }
    parser.close()
  } catch (thrown) {
    error = thrown
  }
  // Closes the elements that a truncated part left open.
  for (let left = open.pop(); left !== undefined; left = open.pop()) visitor.close(left)
  yield
  // A visitor may refuse the part.
  if (error instanceof DamagedPartError || error instanceof ExtractionError) throw error
  if (error !== undefined) throw new DamagedPartError(`${name} is damaged`, { cause: error })
}

/** Resolves namespaces itself: saxes would search all open elements for each name. */
function createParser(visitor: XmlVisitor, open: string[], name: string, hasDocumentType: boolean): SaxesParser {
  const parser = new SaxesParser()
  const scopes: Scope[] = []
  parser.on('doctype', () => {
    if (hasDocumentType) return
    throw new DamagedPartError(`${name} declares a document type, which Office never does`)
  })
  parser.on('opentag', (tag) => {
    if (open.length >= MAX_DEPTH) throw new DamagedPartError(`${name} is nested too deeply`)
    scopes.push(scopeOf(tag.attributes, scopes.at(-1)))
    const element = usualName(tag.name, scopes.at(-1))
    open.push(element)
    visitor.open(element, (localName) => attributeOf(tag.attributes, localName))
  })
  parser.on('closetag', () => {
    scopes.pop()
    const element = open.pop()
    if (element !== undefined) visitor.close(element)
  })
  parser.on('text', (text) => {
    visitor.text(text)
  })
  parser.on('cdata', (text) => {
    visitor.text(text)
  })
  return parser
}

/** The usual prefix for each prefix that an element or its ancestors declare. */
type Scope = Record<string, string>

function scopeOf(attributes: Readonly<Record<string, string>>, outer: Scope | undefined): Scope {
  let scope = outer
  for (const key in attributes) {
    if (!key.startsWith('xmlns')) continue
    if (scope === outer) scope = Object.create(outer ?? null) as Scope
    const prefix = key.slice('xmlns:'.length)
    if (scope !== undefined) scope[prefix] = PREFIXES.get(attributes[key] ?? '') ?? prefix
  }
  return scope ?? (Object.create(null) as Scope)
}

/** The name with its usual prefix. An undeclared prefix stays as it is. */
function usualName(name: string, scope: Scope | undefined): string {
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? '' : name.slice(0, colon)
  const usual = scope?.[prefix] ?? prefix
  return usual === prefix && colon >= 0 ? name : `${usual}:${name.slice(colon + 1)}`
}

function attributeOf(attributes: Readonly<Record<string, string>>, localName: string): string | undefined {
  if (localName.startsWith(':')) {
    for (const key in attributes) if (key.endsWith(localName)) return attributes[key]
    return undefined
  }
  for (const key in attributes) if (key.slice(key.indexOf(':') + 1) === localName) return attributes[key]
  return undefined
}

/** Decodes XML by the encoding that it declares. Default: UTF-8. */
async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: ReturnType<typeof iconv.getDecoder> | undefined
  for await (const piece of bytes) {
    decoder ??= iconv.getDecoder(encodingOf(piece))
    yield decoder.write(piece)
  }
  yield decoder?.end() ?? ''
}

function encodingOf(head: Buffer): string {
  if ((head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0 && head[1] === 0x3c)) return 'utf-16be'
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0x3c && head[1] === 0)) return 'utf-16le'
  const declared = /^[^<]*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head.toString('latin1', 0, 200))?.[1]
  return declared !== undefined && !/^utf-?16/i.test(declared) && iconv.encodingExists(declared) ? declared : 'utf-8'
}
