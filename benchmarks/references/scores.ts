import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nativeText, wordRecall } from '../extraction/word-recall.js'
import { decoded, encodingOf, lettersOf } from './charset-reference.js'
import { areSameRows, isRowEqual, rowsOf } from './csv-reference.js'
import { docReferences } from './doc-reference.js'
import { docxReference } from './docx-reference.js'
import { pdfReferences } from './pdf-reference.js'
import { isWrongReference } from './wrong-references.js'

/** The content that a program has read from a document. */
export interface Reading {
  readonly text: string
  /** The rows of a table, if the program gives them. */
  readonly rows?: readonly (readonly string[])[]
}

export interface Sample {
  /** Path below the folder of the data, as the manifest has it. */
  readonly file: string
  /** Path of the document, unpacked. */
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

/** Compares readings with what is known of a document, by measure, each 0 to 1. */
export class Scores {
  readonly #folder: string
  readonly #pdf: Map<string, string>
  readonly #doc: Map<string, string>

  constructor(dataFolder: string) {
    this.#folder = dataFolder
    this.#pdf = pdfReferences(dataFolder)
    this.#doc = docReferences(dataFolder)
  }

  /** For each measure that there is a reference for, what scores a reading. */
  of(sample: Sample): Map<string, (reading: Reading) => number> {
    const { type, file, bytes } = sample
    const measures = new Map<string, (reading: Reading) => number>()
    if (isWrongReference(type, file)) return measures
    const addText = (measure: string, reference: string | undefined): void => {
      if (reference === undefined || wordRecall(reference, '') === undefined) return
      measures.set(measure, ({ text }) => wordRecall(reference, text) ?? 1)
    }
    if (type === 'pdf') {
      addText('pdftotext', this.#pdf.get(file))
      addText('expected', this.#expected(file, '.expected.txt'))
    } else if (type === 'docx') {
      const reference = docxTexts(bytes)
      addText('all parts', reference?.allParts)
      addText('body', reference?.body)
      const native = this.#expected(file, '.expected.native')
      addText('expected', native && nativeText(native))
    } else if (type === 'doc') {
      addText('all parts', this.#doc.get(file))
      addText('expected', this.#expected(file, '.expected.txt'))
      const twin = join(this.#folder, file.replace('docs/doc/', 'docs/docx/').replace(/\.doc$/, '.docx'))
      if (existsSync(twin)) addText('twin', docxTexts(readFileSync(twin))?.allParts)
    } else if (type === 'txt') {
      const letters = this.#letters(sample)
      if (letters !== undefined) measures.set('letters', ({ text }) => Number(lettersOf(text) === letters))
    } else if (type === 'csv') {
      const rows = rowsOf(sample.path, this.#expectedPath(file, '.expected.json'))
      if (rows !== undefined) {
        measures.set('rows', (reading) =>
          Number(reading.rows === undefined ? isRowEqual(rows, reading.text) : areSameRows(rows, reading.rows)),
        )
      }
    } else if (type === 'md') {
      const whole = withoutMark(bytes.toString('utf8'))
      measures.set('bytes', ({ text }) => Number(withoutMark(text) === whole))
    }
    return measures
  }

  #letters({ file, path, bytes }: Sample): string | undefined {
    const encoding = encodingOf(file)
    // Twins in UTF-8 have the same words, but not to the letter: they have been edited.
    const text = encoding === undefined ? this.#expected(file, '.utf8-twin.txt') : decoded(bytes, path, encoding)
    return text === undefined ? undefined : lettersOf(text)
  }

  #expected(file: string, ending: string): string | undefined {
    const path = this.#expectedPath(file, ending)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }

  #expectedPath(file: string, ending: string): string {
    return join(this.#folder, 'expected', file.replace(/^docs\//, '') + ending)
  }
}

/** `undefined` for what is no zip with a Word document in it. */
function docxTexts(bytes: Buffer): { readonly body: string; readonly allParts: string } | undefined {
  try {
    return docxReference(bytes)
  } catch {
    return undefined
  }
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
