import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { read, utils, write } from 'cfb'
import { pick, seededRandom } from '../../seeded-random.js'

const KINDS = ['txt', 'txt', 'md', 'csv', 'docx', 'pdf', 'blank', 'torn'] as const

/** The source of a document of the soak; it gives the same bytes every time. */
export interface Recipe {
  readonly kind: (typeof KINDS)[number]
  readonly seed: number
  readonly characters: number
}

export interface MadeDocument {
  readonly fileName: string
  readonly bytes: Buffer
  readonly sha256: string
}

const WORDS = 'lamp chair map clock river engine letter garden winter copper bridge signal paper harbour violin'.split(
  ' ',
)
const EXAMPLES = join(import.meta.dirname, '../../../examples/documents')

/** Mostly small documents, and some that are written in several steps. */
export function newRecipe(random: () => number): Recipe {
  const dice = random()
  const characters = dice < 0.6 ? 300 + random() * 4_000 : dice < 0.95 ? 4_000 + random() * 30_000 : 400_000
  return { kind: pick(random, KINDS), seed: Math.floor(random() * 1e9), characters: Math.floor(characters) }
}

/** True when its processing ends with an error, because it has no text or cannot be read. */
export function isUnreadable({ kind }: Recipe): boolean {
  return kind === 'blank' || kind === 'torn'
}

export async function make(recipe: Recipe): Promise<MadeDocument> {
  const bytes = await bytesOf(recipe)
  const extension = recipe.kind === 'blank' ? 'txt' : recipe.kind === 'torn' ? 'pdf' : recipe.kind
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { fileName: `${recipe.seed}.${extension}`, bytes, sha256 }
}

/** The text of a recipe whose format keeps it unchanged; `undefined` for the others. */
export function textOf(recipe: Recipe): string | undefined {
  return recipe.kind === 'txt' || recipe.kind === 'md' ? sentences(recipe).join(' ') : undefined
}

async function bytesOf(recipe: Recipe): Promise<Buffer> {
  if (recipe.kind === 'blank') return Buffer.from(' \n'.repeat(recipe.seed % 1_000 || 1))
  const lines = sentences(recipe)
  if (recipe.kind === 'docx') return await docxOf(lines)
  if (recipe.kind === 'pdf') return pdfOf(lines)
  if (recipe.kind === 'torn') return pdfOf(lines).subarray(0, 40)
  if (recipe.kind === 'csv')
    return Buffer.from(['number,item', ...lines.map((line, row) => `${row},${line}`)].join('\n'))
  return Buffer.from(lines.join(' '))
}

function sentences({ seed, characters }: Recipe): string[] {
  const random = seededRandom(seed)
  const lines: string[] = []
  for (let length = 0; length < characters; ) {
    const words = Array.from({ length: 8 }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '')
    const line = `Item ${lines.length} of ${seed}: ${words.join(' ')}.`
    lines.push(line)
    length += line.length + 1
  }
  return lines
}

/** The .docx of the examples with another body. */
async function docxOf(lines: readonly string[]): Promise<Buffer> {
  const container = read(await readFile(join(EXAMPLES, 'espresso-machine.docx')), { type: 'buffer' })
  const body = lines.map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`).join('')
  const xml = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`
  utils.cfb_add(container, '/word/document.xml', Buffer.from(xml))
  return write(container, { type: 'buffer', fileType: 'zip' }) as Buffer
}

const LINES_PER_PAGE = 40

/** Pages of plain lines, with a valid cross-reference table. */
function pdfOf(lines: readonly string[]): Buffer {
  const pages = Math.ceil(lines.length / LINES_PER_PAGE)
  const kids = Array.from({ length: pages }, (_, page) => `${4 + page * 2} 0 R`).join(' ')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (let page = 0; page < pages; page += 1) {
    const shown = lines.slice(page * LINES_PER_PAGE, (page + 1) * LINES_PER_PAGE).map((line) => `(${line}) Tj T*`)
    const content = `BT /F1 9 Tf 12 TL 40 760 Td ${shown.join('\n')} ET`
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + page * 2} 0 R >>`)
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
  }
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + trailer, 'latin1')
}
