import { type CFB$Container, read } from 'cfb'

/** The text of a .docx as its XML has it. */
export interface DocxReference {
  /** The main document, with the text boxes in it. */
  readonly body: string
  /** The body, then notes, comments, headers and footers; each part once. */
  readonly allParts: string
}

const RELATED = /\/(footnotes|endnotes|comments|header|footer)$/
/** Parts that Word does not show: deletions, the old place of what was moved, and the same drawing for older versions. */
const UNSEEN = /<((?:\w+:)?(?:del|moveFrom|Fallback))(?:\s[^<>]*[^/<>])?>[^]*?<\/\1>/g
const SEPARATORS =
  /<(\w+:)?(?:foot|end)note\s[^<>]*type="(?:continuationS|s)eparator"[^<>]*>[^]*?<\/\1?(?:foot|end)note>/g
const BOX = /<((?:\w+:)?txbxContent)>((?:(?!<(?:\w+:)?txbxContent>)[^])*?)<\/\1>/g
const TOKEN =
  /<(?:[\w.-]+:)?(?:(t)(?:\s[^<>]*)?(?<!\/)>([^<]*)<|(tab|br|cr|ptab)[\s/][^<>]*>|(noBreakHyphen)\s*\/>|(rt|rubyBase)>)|<\/(?:[\w.-]+:)?(p|rt|rubyBase)>/g

/**
 * Takes a .docx apart by patterns, without an XML parser: on purpose another way
 * than the adapter's, to judge it by. Good for well-formed documents only.
 *
 * @throws Error for a file that is no zip with a Word document in it
 */
export function docxReference(bytes: Buffer): DocxReference {
  const container = read(bytes, { type: 'buffer' })
  const packageRels = partOf(container, '_rels/.rels') ?? ''
  const main = targets(packageRels, /\/officeDocument$/, '')[0] ?? 'word/document.xml'
  const xml = partOf(container, main)
  if (xml === undefined) throw new Error('there is no Word document in the file')
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/.exec(main) ?? []
  const rels = partOf(container, `${folder}_rels/${name}.rels`) ?? ''
  const body = textOf(xml)
  const others = [...new Set(targets(rels, RELATED, folder))].map((path) => textOf(partOf(container, path) ?? ''))
  return { body, allParts: [body, ...others].join('\n') }
}

function partOf(container: CFB$Container, path: string): string | undefined {
  const index = container.FullPaths.findIndex(
    (one) => one.replace(/^Root Entry\//, '').toLowerCase() === path.toLowerCase(),
  )
  const content = container.FileIndex[index]?.content
  return content === undefined ? undefined : new TextDecoder().decode(Uint8Array.from(content))
}

function targets(rels: string, type: RegExp, folder: string): string[] {
  return Array.from(rels.matchAll(/<(?:\w+:)?Relationship\s[^<>]*>/g), ([tag]) => tag)
    .filter((tag) => type.test(/\sType="([^"]*)"/.exec(tag)?.[1] ?? '') && !tag.includes('TargetMode="External"'))
    .map((tag) => /\sTarget="([^"]*)"/.exec(tag)?.[1] ?? '')
    .map((target) => (target.startsWith('/') ? target.slice(1) : folder + target.replace(/^\.\//, '')))
}

/** Text boxes stand after the text that they are anchored in. */
function textOf(xml: string): string {
  let text = xml.replaceAll(UNSEEN, '').replaceAll(SEPARATORS, '')
  const boxes: string[] = []
  for (let isChanged = true; isChanged; ) {
    const before = boxes.length
    text = text.replaceAll(BOX, (_whole, _name, content: string) => {
      boxes.push(content)
      return ''
    })
    isChanged = boxes.length > before
  }
  return [text, ...boxes].map(plainText).join('\n')
}

function plainText(xml: string): string {
  return Array.from(xml.matchAll(TOKEN), ([, isText, text = '', isSpace, isHyphen, isRuby, end]) => {
    if (isText !== undefined) return unescapeXml(text)
    if (isHyphen !== undefined) return '-'
    return isSpace !== undefined || isRuby !== undefined ? ' ' : end === 'p' ? '\n' : ' '
  }).join('')
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(String(hex), 16))
    return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[String(name)] ?? whole
  })
}
