import { office } from './office-files.js'

const NAMESPACES = ['office', 'style', 'text', 'table', 'presentation', 'chart', 'manifest']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat(
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"',
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  )
  .join(' ')

/** The XML of a part. */
export function odfPart(kind: string, content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><office:document-${kind} ${NAMESPACES} office:version="1.3">${content}</office:document-${kind}>`
}

interface OdfSpec {
  /** XML in `office:automatic-styles` of the content. */
  readonly automatic?: string
  /** XML in the part with the styles. */
  readonly styles?: string
  readonly title?: string
  readonly others?: Readonly<Record<string, string | Buffer>>
}

/** An OpenDocument file. @param kind the last part of its media type @param body XML in the body */
export function odf(
  kind: string,
  body: string,
  { automatic = '', styles = '', title, others = {} }: OdfSpec = {},
): Buffer {
  const content = `<office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body>`
  return office({
    mimetype: { name: 'mimetype', data: Buffer.from(`application/vnd.oasis.opendocument.${kind}`), isStored: true },
    'content.xml': odfPart('content', content),
    'styles.xml': odfPart('styles', styles),
    ...(title !== undefined && {
      'meta.xml': odfPart('meta', `<office:meta><dc:title>${title}</dc:title></office:meta>`),
    }),
    'META-INF/manifest.xml': `<manifest:manifest ${NAMESPACES}><manifest:file-entry manifest:full-path="/"/></manifest:manifest>`,
    ...others,
  })
}

export const p = (text: string, style = ''): string =>
  `<text:p${style === '' ? '' : ` text:style-name="${style}"`}>${text}</text:p>`
export const h = (level: number, text: string): string => `<text:h text:outline-level="${level}">${text}</text:h>`
/** A cell with a text, or with attributes and any content. */
export const cell = (text: string, attributes = ''): string =>
  `<table:table-cell ${attributes}>${text.startsWith('<') || text === '' ? text : p(text)}</table:table-cell>`
export const row = (...cells: readonly string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`
export const table = (name: string, ...rows: readonly string[]): string =>
  `<table:table table:name="${name}">${rows.join('')}</table:table>`
/** A number as programs write it: with its text. */
export const number = (value: number, shown = String(value)): string =>
  cell(shown, `office:value-type="float" office:value="${value}"`)

export const EMBEDDED_CHART = odfPart(
  'content',
  `<office:body><office:chart><chart:chart><chart:title>${p('Visitors by city')}</chart:title><chart:plot-area/><table:table table:name="local-table"><table:table-header-rows>${row(cell(''), cell('Visitors'))}</table:table-header-rows><table:table-rows>${row(cell('Oslo'), number(4310))}${row(cell('Bergen'), cell('', 'office:value-type="float" office:value="2975"'))}</table:table-rows></table:table></chart:chart></office:chart></office:body>`,
)
export const FORMULA =
  '<!DOCTYPE math:math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd"><math:math xmlns:math="http://www.w3.org/1998/Math/MathML"><math:semantics><math:mrow><math:mi>E</math:mi><math:mo>=</math:mo><math:mfrac><math:mrow><math:mi>m</math:mi><math:mo>+</math:mo><math:mn>1</math:mn></math:mrow><math:msup><math:mi>c</math:mi><math:mn>2</math:mn></math:msup></math:mfrac></math:mrow><math:annotation math:encoding="StarMath 5.0">E = {m+1} over c^2</math:annotation></math:semantics></math:math>'
export const object = (name: string): string =>
  `<draw:frame><draw:object xlink:href="./${name}"/><draw:image xlink:href="x"/></draw:frame>`
