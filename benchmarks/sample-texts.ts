import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedData } from './shared-data.js'

/** Texts to cut and embed: the three corpora with open licences of Chroma's evaluation, or else this project's pages. */
export function sampleTexts(): readonly string[] {
  const folder = sharedData('retrieval', 'chroma', 'corpora')
  const paths =
    folder === undefined
      ? ['README.md', 'ARCHITECTURE.md', 'docs/scaling.md'].map((name) => join(import.meta.dirname, '..', name))
      : readdirSync(folder).map((name) => join(folder, name))
  return paths.map((path) => readFileSync(path, 'utf8'))
}
