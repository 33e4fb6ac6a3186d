import { onTestFinished } from 'vitest'
import { HttpsTransport, type HttpsTransportOptions } from '../../../adapters/https-transport/index.js'
import { type Receiver, type ReceiverOptions, startReceiver } from './receiver.js'

/** A receiver for the current test. */
export async function receiverOf(options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await startReceiver(options)
  onTestFinished(() => receiver.close())
  return receiver
}

/** A transport for the current test. It reaches receivers on this machine by their addresses and by any name. */
export function transportTo({ ca }: Pick<Receiver, 'ca'>, options: HttpsTransportOptions = {}): HttpsTransport {
  const transport = new HttpsTransport({
    certificateAuthorities: [ca],
    allow: ['127.0.0.0/8', '::1'],
    resolver: async () => ['127.0.0.1'],
    ...options,
  })
  onTestFinished(() => transport.close())
  return transport
}
