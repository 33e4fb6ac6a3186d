/** Posts once with the options given, and prints what came of it: for what the environment of a process may change. */
import { HttpsTransport } from '../../dist/adapters/https-transport/index.js'

const [url, options] = process.argv.slice(2)
const { answers, ...rest } = JSON.parse(options)
const transport = new HttpsTransport({ ...rest, ...(answers && { resolver: async () => answers }) })
const outcome = await transport.post({ url, headers: {}, body: Buffer.from('{}') })
console.log(JSON.stringify({ ...outcome, body: undefined }))
