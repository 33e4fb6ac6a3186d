/** Takes the tokenizer of the model in the folder given, and prints the longest time, in ms, that blocked the loop. */
import { TransformersEmbeddingModel } from '../../dist/adapters/transformers/index.js'

const model = await TransformersEmbeddingModel.open(process.argv[2])
let longestMs = 0
let last = performance.now()
const look = () => {
  longestMs = Math.max(longestMs, performance.now() - last)
  last = performance.now()
}
const timer = setInterval(look, 1)
const tokenizer = await model.tokenizer()
tokenizer.count('some text')
// What came last counts too, though no timer has run since.
look()
clearInterval(timer)
console.log(longestMs)
await model.close()
