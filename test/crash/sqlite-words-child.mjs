/**
 * Adds documents to the word index in the given folder, deletes some of them, and keeps maintenance running, until it
 * is killed. Reports acknowledged writes. Document n has n % 40 + 1 chunks.
 */
import { setTimeout } from 'node:timers/promises'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'

const [folder, first] = process.argv.slice(2)
const index = new SqliteLexicalIndex(folder)

async function maintain() {
  for (;;) {
    await index.whenMaintained()
    await setTimeout(10)
  }
}

async function work(id) {
  const chunks = Array.from({ length: (id % 40) + 1 }, (_, chunk) => chunk)
  const terms = chunks.map((chunk) => ['all', `own-${id}`, `chunk-${chunk}`, `word-${(id * 31 + chunk) % 500}`])
  await index.add('crash', { documentId: id, chunks, terms })
  process.send({ added: id })
  if (id % 5 !== 0) return
  process.send({ deleting: id })
  await index.deleteDocument('crash', id, 0)
  process.send({ deleted: id })
}

process.send({ ready: true })
let maintaining
for (let id = Number(first); ; id += 4) {
  await Promise.all([id, id + 1, id + 2, id + 3].map(work))
  maintaining ??= maintain()
}
