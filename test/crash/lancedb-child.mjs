/**
 * Adds documents to the index in the given folder, deletes every fifth, and keeps maintenance running, `here` or in a
 * process `apart`, until it is killed. Reports acknowledged writes. Document n has n % 40 + 1 rows.
 */
import { setTimeout } from 'node:timers/promises'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'

const [folder, first, place] = process.argv.slice(2)
const COLLECTION = { name: 'crash', dimensions: 64 }
const index = new LanceDbVectorIndex(folder, {
  indexFromRows: 2_000,
  ...(place === 'apart' && { compactApartFromBytes: 0 }),
})

async function maintain() {
  for (;;) {
    await index.whenMaintained()
    await setTimeout(10)
  }
}

async function work(id) {
  const rows = (id % 40) + 1
  const vectors = Float32Array.from({ length: rows * 64 }, (_, at) => Math.sin(id * 31 + at))
  const chunks = Uint32Array.from({ length: rows }, (_, chunk) => chunk)
  await index.add(COLLECTION, { documentId: id, chunks, windows: new Uint16Array(rows), vectors })
  process.send({ added: id })
  if (id % 5 !== 0) return
  process.send({ deleting: id })
  await index.deleteDocument(COLLECTION.name, id, 0)
  process.send({ deleted: id })
}

process.send({ ready: true })
let maintaining
for (let id = Number(first); ; id += 4) {
  await Promise.all([id, id + 1, id + 2, id + 3].map(work))
  maintaining ??= maintain()
}
