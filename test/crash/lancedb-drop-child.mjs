/** Drops a collection of the index in the given folder. */
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'

const [folder, name] = process.argv.slice(2)
const index = new LanceDbVectorIndex(folder)
await index.drop(name)
await index.close()
