import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError, type DocxPackage, resolvePart } from '../docx/docx-package.js'
import { walkXml } from '../docx/docx-xml.js'

/** Methods that only make fonts unusable outside the book. */
const FONT_METHODS = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC'])
const PAGES = /^(?:application\/xhtml\+xml|text\/html|text\/x-oeb1-document|application\/x-dtbook\+xml)$/i
const DRAWING = /^image\/svg\+xml$/i
/** The replacements of a part that are tried. */
const MAX_FALLBACKS = 10

/** A chapter of a book. */
export interface EpubChapter {
  readonly part: string
  /** True for XHTML, false for HTML. */
  readonly isXml: boolean
}

/** A book as its package document describes it. */
export interface EpubBook {
  readonly title: string
  readonly creators: readonly string[]
  /** In the order of reading. */
  readonly chapters: readonly EpubChapter[]
}

interface Item {
  readonly part: string
  readonly type: string
  readonly isContents: boolean
  /** The item that stands for this one where its type is unknown. */
  readonly fallback: string | undefined
}

/**
 * Reads the description of a book.
 * @throws ExtractionError `ERR_ENCRYPTED` for a book whose chapters are encrypted; `ERR_NO_TEXT` for one of pictures;
 *   `ERR_CORRUPT_FILE` without chapters
 */
export async function readBook(file: DocxPackage): Promise<EpubBook> {
  const main = await mainPart(file)
  const items = new Map<string, Item>()
  const chapters = new Map<string, EpubChapter>()
  const creators: string[] = []
  let title = ''
  let text = ''
  let pictures = 0
  await walk(file, main, {
    open(element, attribute) {
      text = ''
      if (element === 'item') {
        const [id, href] = [attribute('id'), attribute('href')]
        const isContents = /(?:^|\s)nav(?:\s|$)/.test(attribute('properties') ?? '')
        if (id === undefined || href === undefined || items.has(id)) return
        const type = attribute('media-type') ?? ''
        items.set(id, { part: partOf(main, href), type, isContents, fallback: attribute('fallback') })
      } else if (element === 'itemref') {
        const id = attribute('idref') ?? ''
        const item = readableItem(file, items, id)
        if (item === undefined && isPicture(file, items.get(id))) pictures += 1
        if (item === undefined || item.isContents || !file.claim(item.part)) return
        chapters.set(item.part, { part: item.part, isXml: item.type !== 'text/html' })
      }
    },
    close(element) {
      if (element === 'title' && title === '') title = oneLine(text)
      else if (element === 'creator' && text.trim() !== '') creators.push(oneLine(text))
    },
    text(more) {
      text += more
    },
  })
  if (chapters.size === 0 && pictures > 0) throw onlyPictures()
  if (chapters.size === 0) throw new ExtractionError('ERR_CORRUPT_FILE', 'The e-book is damaged: it has no chapters')
  await refuseEncrypted(file, chapters)
  return { title, creators, chapters: [...chapters.values()] }
}

/** The error for a book without any text. */
export function onlyPictures(): ExtractionError {
  return new ExtractionError(
    'ERR_NO_TEXT',
    'The e-book has no text: if its pages are pictures, run text recognition (OCR) first',
  )
}

function isPicture(file: DocxPackage, item: Item | undefined): boolean {
  return item !== undefined && item.type.toLowerCase().startsWith('image/') && file.has(item.part)
}

/** The item of an id, or the first one of its fallbacks that is a page. A drawing is one if it has no better fallback. */
function readableItem(file: DocxPackage, items: ReadonlyMap<string, Item>, id: string): Item | undefined {
  let drawing: Item | undefined
  let item = items.get(id)
  for (let tried = 0; item !== undefined && tried < MAX_FALLBACKS; tried += 1) {
    if (PAGES.test(item.type)) return item
    if (DRAWING.test(item.type) && file.has(item.part)) drawing ??= item
    item = items.get(item.fallback ?? '')
  }
  return drawing
}

async function mainPart(file: DocxPackage): Promise<string> {
  let main: string | undefined
  await walk(file, 'META-INF/container.xml', {
    open(element, attribute) {
      if (element === 'rootfile') main ??= attribute('full-path')
    },
  })
  if (main === undefined)
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The e-book is damaged: its contents are missing')
  return main
}

async function refuseEncrypted(file: DocxPackage, chapters: ReadonlyMap<string, unknown>): Promise<void> {
  if (!file.has('META-INF/encryption.xml')) return
  let method = ''
  await walk(file, 'META-INF/encryption.xml', {
    open(element, attribute) {
      if (element === 'EncryptionMethod') method = attribute('Algorithm') ?? ''
      if (element !== 'CipherReference' || FONT_METHODS.has(method)) return
      if (!chapters.has(partOf('', attribute('URI') ?? ''))) return
      throw new ExtractionError(
        'ERR_ENCRYPTED',
        'The e-book is protected against copies (DRM): save it without protection',
      )
    },
  })
}

interface Visitor {
  open(element: string, attribute: (name: string) => string | undefined): void
  close?(element: string): void
  text?(text: string): void
}

/** Walks over a part. Elements have no prefix. @throws ExtractionError `ERR_CORRUPT_FILE` */
async function walk(file: DocxPackage, part: string, visitor: Visitor): Promise<void> {
  const local = (name: string): string => name.slice(name.lastIndexOf(':') + 1)
  const whole = {
    open: (name: string, attribute: (name: string) => string | undefined) => {
      visitor.open(local(name), attribute)
    },
    close: (name: string) => visitor.close?.(local(name)),
    text: (text: string) => visitor.text?.(text),
  }
  try {
    // Books of before 2007 declare the type of their description.
    for await (const _ of walkXml(file.bytes(part), whole, part, { hasDocumentType: true }));
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    throw new ExtractionError('ERR_CORRUPT_FILE', `The e-book is damaged: ${error.message}`, { cause: error })
  }
}

/** The part that a reference in another part names. */
function partOf(from: string, reference: string): string {
  const path = reference.replace(/[?#].*$/s, '')
  try {
    return resolvePart(from, decodeURIComponent(path))
  } catch {
    return resolvePart(from, path)
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
