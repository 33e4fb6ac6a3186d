import { LoopStops } from '../test/ingestion/loop-stops.js'
const s = new LoopStops(); await new Promise((r) => setTimeout(r, 50)); s.end()
console.log(s.longestWorkMs / s.longestWorkAtFullSpeedMs)
