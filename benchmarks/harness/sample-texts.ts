import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../test/seeded-random.js'
import { sharedData } from './shared-data.js'

const CORPORA = ['retrieval', 'chroma', 'corpora']

/** The source of {@link sampleTexts}. */
export const SAMPLE: string =
  sharedData(...CORPORA) === undefined ? 'pages of this project' : 'corpora of Chroma’s evaluation'

/**
 * Texts to cut and embed: the three corpora with open licences of Chroma's evaluation. Without the shared data: pages
 * of this project.
 */
export function sampleTexts(): readonly string[] {
  const folder = sharedData(...CORPORA)
  const paths =
    folder === undefined
      ? ['README.md', 'ARCHITECTURE.md', 'docs/explanation/scaling.md'].map((name) =>
          join(import.meta.dirname, '../..', name),
        )
      : readdirSync(folder).map((name) => join(folder, name))
  return paths.map((path) => readFileSync(path, 'utf8'))
}

/** Texts with headings: the Markdown documents of the shared data. Without it: pages of this project. */
export function markdownTexts(): readonly string[] {
  const folder = sharedData('docs', 'md')
  if (folder === undefined) return sampleTexts()
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
}

/**
 * Repeats the sample up to this number of characters. Other numbers between the sentences make each window unique.
 * @param from the number before the first one. Default: 0
 */
export function* longText(characters: number, from = 0): Generator<Uint8Array> {
  const sample = sampleTexts().join('\n\n')
  let number = from
  for (let length = 0; length < characters; ) {
    const piece = sample.replaceAll('. ', () => `. ${(number += 1)} `).slice(0, characters - length)
    length += piece.length
    yield Buffer.from(piece)
  }
}

/** The share of words of a copy that are replaced by other words of the sample. */
const VARIED_SHARE = 0.3
const VARIED_SEED = 4_711

/**
 * Repeats the sample up to this number of characters, with 30 % other words in each copy. Words are as frequent as in
 * the sample. Some copies of a passage have all words of a question, and most have some of them.
 */
export function* variedText(characters: number): Generator<Uint8Array> {
  const words = sampleTexts().join('\n\n').split(' ')
  const random = seededRandom(VARIED_SEED)
  for (let length = 0; length < characters; ) {
    const varied = words.map((word) => (random() < VARIED_SHARE ? words[Math.floor(random() * words.length)] : word))
    const piece = `${varied.join(' ').slice(0, characters - length)}\n\n`
    length += piece.length
    yield Buffer.from(piece)
  }
}
