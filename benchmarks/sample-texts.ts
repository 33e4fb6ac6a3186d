import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../test/seeded-random.js'
import { sharedData } from './shared-data.js'

const CORPORA = ['retrieval', 'chroma', 'corpora']

/** What {@link sampleTexts} are. */
export const SAMPLE: string =
  sharedData(...CORPORA) === undefined ? 'pages of this project' : 'corpora of Chroma’s evaluation'

/** Texts to cut and embed: the three corpora with open licences of Chroma's evaluation, or else this project's pages. */
export function sampleTexts(): readonly string[] {
  const folder = sharedData(...CORPORA)
  const paths =
    folder === undefined
      ? ['README.md', 'ARCHITECTURE.md', 'docs/explanation/scaling.md'].map((name) =>
          join(import.meta.dirname, '..', name),
        )
      : readdirSync(folder).map((name) => join(folder, name))
  return paths.map((path) => readFileSync(path, 'utf8'))
}

/** Texts with headings: the Markdown documents of the shared data, or else this project's pages. */
export function markdownTexts(): readonly string[] {
  const folder = sharedData('docs', 'md')
  if (folder === undefined) return sampleTexts()
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** So much of them, again and again, each time with other numbers between the sentences: no window is there twice. */
export function* longText(characters: number): Generator<Uint8Array> {
  const sample = sampleTexts().join('\n\n')
  let number = 0
  for (let length = 0; length < characters; ) {
    const piece = sample.replaceAll('. ', () => `. ${(number += 1)} `).slice(0, characters - length)
    length += piece.length
    yield Buffer.from(piece)
  }
}

/** Of the words of a copy, so many are another word of the sample. */
const VARIED_SHARE = 0.3
const VARIED_SEED = 4_711

/**
 * So much of them, again and again, each time with another third of the words in place of the first: words are as frequent
 * as they are in the sample, and of the copies of a passage some have all words of a question, and most have a part.
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
