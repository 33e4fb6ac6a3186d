import { createRequire } from 'node:module'
import { Readable } from 'node:stream'

/** What is changed of word-extractor's reader of .docx. */
interface OpenOfficeExtractor {
  openArchive: (this: OpenOfficeExtractor, reader: unknown) => Promise<Archive>
}

interface Archive {
  openReadStream: (entry: unknown, opened: (error: Error | null, part: Readable | undefined) => void) => void
}

/**
 * Lets word-extractor read the XML of a .docx as text.
 *
 * By itself (1.0.4) it decodes 4,096 bytes at a time, each on their own: a letter
 * outside ASCII that lies across such a border becomes two or more U+FFFD.
 */
export function readArchivesAsText(): void {
  const require = createRequire(import.meta.url)
  const { prototype } = require('word-extractor/lib/open-office-extractor.js') as { prototype: OpenOfficeExtractor }
  const { openArchive } = prototype
  prototype.openArchive = async function (reader) {
    const archive = await openArchive.call(this, reader)
    const openReadStream = archive.openReadStream.bind(archive)
    archive.openReadStream = (entry, opened) => {
      openReadStream(entry, (error, part) => {
        opened(error, part && Readable.from(decoded(part)))
      })
    }
    return archive
  }
}

async function* decoded(part: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of part) yield decoder.decode(bytes as Uint8Array, { stream: true })
  yield decoder.decode()
}
