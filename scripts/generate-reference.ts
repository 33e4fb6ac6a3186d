/** Writes the pages of docs/reference that are made of the program itself, and the report of the public types. */
import { writeFile } from 'node:fs/promises'
import { GENERATED_PAGES } from './reference/pages.js'

for (const [path, make] of Object.entries(GENERATED_PAGES)) {
  await writeFile(new URL(`../${path}`, import.meta.url), make())
}
