/** Closes the model alone, or an engine on the given folder, and exits at once, as many hosts do. */
import { setTimeout } from 'node:timers/promises'
import { DeviceEmbeddingModel } from '../../dist/adapters/device/index.js'
import { openLocalEngine } from '../../dist/adapters/local/index.js'

const [what, folder] = process.argv.slice(2)
const texts = Array.from({ length: 400 }, (_, number) => `${number} ${'lamps, chairs and clocks '.repeat(30)}`)

if (what === 'model') {
  const model = await DeviceEmbeddingModel.open(folder)
  await model.embed(['loaded'], { kind: 'passage' })
  const embedded = model.embed(texts, { kind: 'passage' }).catch((error) => error.code)
  await setTimeout(150)
  await model.close()
  if ((await embedded) !== 'ERR_CLOSED') process.exit(3)
} else {
  const engine = await openLocalEngine({ dataDir: folder })
  const session = engine.as(engine.owner)
  const context = await session.contexts.create({ name: 'Exit', description: '', caption: '', toolsJson: '[]' })
  await session.documents.upload(context.id, { fileName: 'a.txt', content: Buffer.from(texts.join('\n')) })
  await setTimeout(1_000)
  await engine.close()
}
process.exit(0)
