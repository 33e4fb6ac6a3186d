import { type DocxPackage, relationshipsOf, resolvePart } from './docx-package.js'
import { walkXml } from './docx-xml.js'

/** The parts that a document refers to. */
export interface DocxParts {
  /** Parts whose text comes after the body, in their order. */
  readonly stories: readonly string[]
  readonly styles: string | undefined
}

interface Relationship {
  /** The last segment of its type. */
  readonly type: string
  readonly part: string
}

/** The types of parts that are read after the body, in this order. */
const STORIES = ['diagramData', 'chart', 'footnotes', 'endnotes', 'comments', 'header', 'footer'] as const
/** The usual names of these parts, for files without relationships. */
const USUAL_NAME = /^word\/(footnotes|endnotes|comments|header|footer)\d*\.xml$/

/** The name of the part with the body. @returns `undefined` if the file has none */
export async function mainPart(file: DocxPackage): Promise<string | undefined> {
  const relationships = await readRelationships(file, '').catch(() => [])
  const related = relationships.find(({ type, part }) => type === 'officeDocument' && file.has(part))
  if (related !== undefined) return related.part
  return file.has('word/document.xml') ? 'word/document.xml' : undefined
}

export async function relatedParts(file: DocxPackage, main: string): Promise<DocxParts> {
  const relationships = await readRelationships(file, main).catch(() => usualRelationships(file))
  const stories = STORIES.flatMap((story) => relationships.filter(({ type }) => type === story))
  return {
    stories: [...new Set(stories.map(({ part }) => part))],
    styles: relationships.find(({ type }) => type === 'styles')?.part,
  }
}

async function readRelationships(file: DocxPackage, from: string): Promise<Relationship[]> {
  const relationships: Relationship[] = []
  const name = from === '' ? '_rels/.rels' : relationshipsOf(from)
  if (!file.has(name)) return usualRelationships(file)
  const walk = walkXml(
    file.bytes(name),
    {
      open(element, attribute) {
        const target = attribute('Target')
        if (element !== 'rel:Relationship' || target === undefined || attribute('TargetMode') === 'External') return
        const type = attribute('Type')?.split('/').at(-1) ?? ''
        relationships.push({ type, part: resolvePart(from, target) })
      },
      close: () => undefined,
      text: () => undefined,
    },
    name,
  )
  for await (const _ of walk);
  return relationships
}

function usualRelationships(file: DocxPackage): Relationship[] {
  return [...file.names()].flatMap((part) => {
    const type = USUAL_NAME.exec(part)?.[1]
    return type === undefined ? [] : [{ type, part }]
  })
}
