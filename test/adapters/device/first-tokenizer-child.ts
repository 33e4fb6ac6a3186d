/**
 * Loads the tokenizer of the model in the given folder. Prints the longest time, in ms, that the main thread worked
 * between two turns of its loop.
 */
import { DeviceEmbeddingModel } from '../../../dist/adapters/device/index.js'
import { LoopStops } from '../../ingestion/loop-stops.js'

const model = await DeviceEmbeddingModel.open(process.argv[2] ?? '')
const stops = new LoopStops()
const tokenizer = await model.tokenizer()
tokenizer.count('some text')
stops.end()
process.stdout.write(String(stops.longestWorkAtFullSpeedMs))
await model.close()
