import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import {
  AlcoveError,
  EVENT_HEADER,
  EVENT_TYPES,
  type EventData,
  type EventType,
  type KnownWebhookEvent,
  SIGNATURE_HEADER,
  signBody,
  type UnknownWebhookEvent,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from '../../../src/webhooks/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const ROOT = join(import.meta.dirname, '../../..')

// The signature vectors of docs/explanation/reliability-cases.md.
const K1 = 'whsec_test_0123456789abcdef0123456789abcdef'
const ROTATED = 'rotated-secret-longer-than-one-sha256-block-0123456789012345678901234567890123456789'
const BODY_1 =
  '{"id":"evt_01J9ZK3V6Q8R2T4W6Y8A0C2E4G","version":"v1","type":"run.completed","event_category":"run",' +
  '"timestamp":"2026-01-02T03:04:05.678Z","data":{"jobKey":"3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34","success":true}}'
const BODY_2 =
  '{"id":"evt_01J9ZK3V6Q8R2T4W6Y8A0C2E4H","version":"v1","type":"agent.created","event_category":"agent",' +
  '"timestamp":"2026-01-02T03:04:05.678Z","data":{"agentId":42,"name":"Zoë ✅ 東京 \\"x\\""}}'
const V1 = 'sha256=110b93888b2a09664048eb52f1d77a2a63d0e48031784bef3ef842ff9c321c66'
const V2 = 'sha256=404ea8ae71129a73071da14841edbded8fe6a6f10a0464d13272482e9f5433bf'
const V3 = 'sha256=8fb6a70c6b447d8171f8c295e45bef211adf3cd610ee99f45875cd5267df94c2'

const REFUSED = { name: 'WebhookSignatureError', code: 'ERR_WEBHOOK_SIGNATURE' }
const MALFORMED = { name: 'WebhookMalformedError', code: 'ERR_WEBHOOK_MALFORMED' }

/** Computes the signature by another implementation than the one under test. */
function reference(body: string | Uint8Array, key: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function signed(signature: string): WebhookHeaders {
  return { [SIGNATURE_HEADER]: signature }
}

/** Bytes whose memory was transferred away. */
function detached(view: Uint8Array<ArrayBuffer>): Uint8Array {
  structuredClone(view.buffer, { transfer: [view.buffer] })
  return view
}

/** The event in a correctly signed body. */
async function received(body: string | Uint8Array): Promise<WebhookEvent> {
  return await verifyWebhook(body, signed(reference(body, K1)), K1)
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the signature vectors', () => {
  it.each([
    ['V1', BODY_1, 211, K1, V1],
    ['V2', BODY_2, 194, K1, V2],
    ['V3, V1 sent again with the rotated key', BODY_1, 211, ROTATED, V3],
  ])('contain a valid one: %s', async (_name, body, length, secret, signature) => {
    expect(bytes(body)).toHaveLength(length)
    expect(reference(body, secret)).toBe(signature)
    expect(await signBody(bytes(body), secret)).toBe(signature)
    expect(await verifyWebhook(bytes(body), signed(signature), secret)).toEqual(JSON.parse(body))
  })

  it.each([
    ['V1 with a trailing newline', reference(`${BODY_1}\n`, K1), '553e857e'],
    [
      'V1 keyed with the base64-decoded secret',
      reference(BODY_1, Buffer.from(K1.replace('whsec_', ''), 'base64')),
      '442c65e0',
    ],
  ])('contain one that must not verify: %s', async (_name, signature, prefix) => {
    expect(signature.slice('sha256='.length)).toMatch(new RegExp(`^${prefix}`))
    await expect(verifyWebhook(BODY_1, signed(signature), K1)).rejects.toMatchObject(REFUSED)
  })

  it('contain the signature V1, which must not verify the body of V1 with a trailing newline', async () => {
    await expect(verifyWebhook(`${BODY_1}\n`, signed(V1), K1)).rejects.toMatchObject(REFUSED)
  })
})

describe('signBody', () => {
  it('computes the same signature as another implementation, for any bytes and any secret', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
        async (body, secret) => {
          expect(await signBody(body, secret)).toBe(reference(body, secret))
        },
      ),
    )
  })

  it('refuses an empty secret', async () => {
    await expect(signBody(bytes(BODY_1), '')).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'secret' })
  })
})

describe('verifyWebhook', () => {
  it('returns any signed envelope unchanged', async () => {
    const envelope = fc
      .record({
        id: fc.string({ unit: 'grapheme', minLength: 1 }),
        version: fc.constant('v1'),
        type: fc.oneof(fc.constantFrom(...EVENT_TYPES), fc.stringMatching(/^[a-z]+\.[a-z.]+$/)),
        timestamp: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999') }),
        data: fc.dictionary(fc.string(), fc.jsonValue()),
        extra: fc.jsonValue(),
      })
      .map(({ type, ...rest }) => ({ ...rest, type, event_category: type.split('.')[0] }))
    await fc.assert(
      fc.asyncProperty(envelope, fc.nat(3), async (event, indentation) => {
        const body = JSON.stringify(event, undefined, indentation)
        expect(await received(body)).toEqual(JSON.parse(body))
        expect(await received(bytes(body))).toEqual(JSON.parse(body))
      }),
    )
  })

  it('refuses a body with any byte altered, missing or added', async () => {
    const original = bytes(BODY_2)
    const position = fc.nat(original.length - 1)
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 255 }), async (index, mask) => {
        const altered = original.with(index, (original[index] ?? 0) ^ mask)
        await expect(verifyWebhook(altered, signed(V2), K1)).rejects.toMatchObject(REFUSED)
        const shorter = Buffer.concat([original.subarray(0, index), original.subarray(index + 1)])
        await expect(verifyWebhook(shorter, signed(V2), K1)).rejects.toMatchObject(REFUSED)
        const longer = Buffer.concat([original.subarray(0, index), Uint8Array.of(mask), original.subarray(index)])
        await expect(verifyWebhook(longer, signed(V2), K1)).rejects.toMatchObject(REFUSED)
      }),
    )
  })

  it('refuses a signature with any character altered, missing or added', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(V1.length - 1),
        fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
        async (index, character) => {
          fc.pre(character !== V1[index])
          for (const tail of [V1.slice(index + 1), V1.slice(index)]) {
            const altered = V1.slice(0, index) + character + tail
            await expect(verifyWebhook(BODY_1, signed(altered), K1)).rejects.toMatchObject(REFUSED)
          }
          const shorter = V1.slice(0, index) + V1.slice(index + 1)
          await expect(verifyWebhook(BODY_1, signed(shorter), K1)).rejects.toMatchObject(REFUSED)
        },
      ),
    )
  })

  it('parses nothing before the signature is verified', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    await expect(verifyWebhook(BODY_1, signed(V2), K1)).rejects.toMatchObject(REFUSED)
    await expect(verifyWebhook('{', signed(V1), K1)).rejects.toMatchObject(REFUSED)
    expect(parse).not.toHaveBeenCalled()
    await verifyWebhook(BODY_1, signed(V1), K1)
    expect(parse).toHaveBeenCalledOnce()
  })

  it('throws errors that a receiver can distinguish, and that contain no secret', async () => {
    const error = await verifyWebhook(BODY_1, signed(V2), K1).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AlcoveError)
    expect((error as Error).message).not.toMatch(/whsec|110b|404e/)
  })
})

describe('the headers of a webhook', () => {
  const good: [what: string, headers: WebhookHeaders][] = [
    ['Headers of fetch', new Headers({ 'X-Service-Signature': V1, [EVENT_HEADER]: 'run.completed' })],
    ['an object with such a get', { get: (name) => (name === SIGNATURE_HEADER ? V1 : null) }],
    ["Node's request.headers", { host: 'x', 'set-cookie': ['a', 'b'], [SIGNATURE_HEADER]: V1 }],
    ["Node's request.headersDistinct", { host: ['x'], [SIGNATURE_HEADER]: [V1] }],
    ['a record in other case', { 'X-Service-SIGNATURE': V1 }],
    ['a record without a prototype', Object.assign(Object.create(null) as object, { [SIGNATURE_HEADER]: V1 })],
    ['a record with a name that is there and empty', { [SIGNATURE_HEADER.toUpperCase()]: undefined, ...signed(V1) }],
    ['a frozen record', Object.freeze({ [SIGNATURE_HEADER]: Object.freeze([V1]) })],
    [
      'a record with names that objects have already',
      {
        ...(JSON.parse(
          '{"__proto__":"x","constructor":"x","get":"x","hasOwnProperty":"x","toString":["x"]}',
        ) as WebhookHeaders),
        ...signed(V1),
      },
    ],
    ['a record of another realm', runInNewContext(`({ '${SIGNATURE_HEADER}': ['${V1}'] })`) as WebhookHeaders],
    ['an event header that is not that of the body', { ...signed(V1), [EVENT_HEADER]: 'agent.deleted' }],
  ]
  it.each(good)('may be %s', async (_what, headers) => {
    expect(await verifyWebhook(BODY_1, headers, K1)).toMatchObject({ type: 'run.completed' })
  })

  const repeated = new Headers(signed(V1) as Record<string, string>)
  repeated.append(SIGNATURE_HEADER, V1)
  const bad: [what: string, headers: WebhookHeaders][] = [
    ['none', {}],
    ['empty Headers of fetch', new Headers()],
    ['only the type', { [EVENT_HEADER]: 'run.completed' }],
    ['no value', { [SIGNATURE_HEADER]: undefined }],
    ['an empty list', { [SIGNATURE_HEADER]: [] }],
    ['an empty text', { [SIGNATURE_HEADER]: '' }],
    ['a number', { [SIGNATURE_HEADER]: 7 as unknown as string }],
    ['a number beside it', { [SIGNATURE_HEADER]: [7, V1] as unknown as string }],
    ['a gap beside it', { [SIGNATURE_HEADER]: new Array(2).fill(V1, 1) as string[] }],
    ['no text beside it, in another case', { [SIGNATURE_HEADER]: V1, 'X-Service-Signature': 7 as unknown as string }],
    ['a list in a list', { [SIGNATURE_HEADER]: [[V1]] as unknown as string }],
    ['an object of a text', { [SIGNATURE_HEADER]: new String(V1) as string }],
    ['a get that gives a list', { get: () => [V1] as unknown as string }],
    ['a get that gives nothing', { get: () => undefined as unknown as null }],
    ['the same twice, as a list', { [SIGNATURE_HEADER]: [V1, V1] }],
    ['the same twice, in two cases', { [SIGNATURE_HEADER]: V1, 'X-Service-Signature': V1 }],
    ['the same twice, joined by Node', { [SIGNATURE_HEADER]: `${V1}, ${V1}` }],
    ['the same twice, joined by fetch', repeated],
    ['a right and a wrong one', { [SIGNATURE_HEADER]: [V2, V1] }],
    ['no sha256=', signed(V1.slice('sha256='.length))],
    ['another algorithm', signed(V1.replace('sha256', 'sha1'))],
    ['upper-case hex', signed(`sha256=${V1.slice('sha256='.length).toUpperCase()}`)],
    ['blanks around it', signed(` ${V1} `)],
    ['a line after it', signed(`${V1}\n`)],
    ['a signature cut short', signed(V1.slice(0, -2))],
    ['nothing signed', signed('sha256=')],
    ['a megabyte of it', signed(`sha256=${'0'.repeat(1_000_000)}`)],
    ['an inherited one', Object.create({ [SIGNATURE_HEADER]: V1 }) as WebhookHeaders],
    ['one inside of __proto__', JSON.parse(`{"__proto__":{"${SIGNATURE_HEADER}":"${V1}"}}`) as WebhookHeaders],
  ]
  it.each(bad)('refuses %s', async (_what, headers) => {
    await expect(verifyWebhook(BODY_1, headers, K1)).rejects.toMatchObject(REFUSED)
  })

  it.each([
    [undefined],
    [null],
    ['x-service-signature: sha256=0'],
    [[SIGNATURE_HEADER, V1]],
    [new Map([[SIGNATURE_HEADER, V1]])],
    [runInNewContext(`new Map([['${SIGNATURE_HEADER}', '${V1}']])`) as object],
  ])('are a mistake of the receiver when they are %j, and the error names the right types', async (headers) => {
    const promise = verifyWebhook(BODY_1, headers as unknown as WebhookHeaders, K1)
    await expect(promise).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'headers' })
    await expect(promise).rejects.toThrow(/fetch's Headers, or a record such as Node's request\.headers/)
  })
})

describe('the secret of a webhook', () => {
  it('may be any of several during a rotation', async () => {
    for (const secrets of [[K1], [K1, ROTATED], [ROTATED, K1], Object.freeze([ROTATED, 'third', K1])]) {
      expect(await verifyWebhook(BODY_1, signed(V1), secrets)).toMatchObject({ type: 'run.completed' })
    }
    await expect(verifyWebhook(BODY_1, signed(V3), [K1, 'third'])).rejects.toMatchObject(REFUSED)
  })

  it.each([
    ['', 'secret'],
    [undefined, 'secret'],
    [null, 'secret'],
    [7, 'secret'],
    [[], 'secret'],
    [[K1, ''], 'secret[1]'],
    [[undefined, K1], 'secret[0]'],
  ])('%j is a mistake of the receiver, whatever arrives', async (secret, field) => {
    const mistake = { code: 'ERR_INVALID_INPUT', field }
    await expect(verifyWebhook(BODY_1, signed(V1), secret as string)).rejects.toMatchObject(mistake)
    await expect(verifyWebhook('', {}, secret as string)).rejects.toMatchObject(mistake)
  })
})

describe('the body of a webhook', () => {
  const embedded = Buffer.from(`..${BODY_2}..`).subarray(2, -2)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes(BODY_2).length))
  shared.set(bytes(BODY_2))
  const elsewhere = runInNewContext('new Uint8Array(list)', { list: [...bytes(BODY_2)] }) as Uint8Array
  it.each<[what: string, body: Uint8Array | ArrayBuffer | string]>([
    ['a string', BODY_2],
    ['a Uint8Array', bytes(BODY_2)],
    ['a Buffer that is part of a larger one', embedded],
    ['an ArrayBuffer', bytes(BODY_2).buffer as ArrayBuffer],
    ['shared memory', shared],
    ['a Uint8Array of another realm', elsewhere],
    ['an ArrayBuffer of another realm', elsewhere.buffer as ArrayBuffer],
  ])('may be %s', async (_what, body) => {
    expect(await verifyWebhook(body, signed(V2), K1)).toMatchObject({ data: { name: 'Zoë ✅ 東京 "x"' } })
  })

  it('is parsed as it was verified, even when its memory changes afterwards', async () => {
    const body = bytes(BODY_1)
    const promise = verifyWebhook(body, signed(V1), K1)
    body.fill(0)
    expect(await promise).toEqual(JSON.parse(BODY_1))
  })

  it.each<[what: string, body: unknown]>([
    ['an object', JSON.parse(BODY_1)],
    ['an empty object', {}],
    ['nothing', undefined],
    ['null', null],
    ['an array', []],
    ['a stream', new ReadableStream()],
    ['a detached ArrayBuffer', detached(new Uint8Array(8)).buffer],
    ['a detached Uint8Array', detached(new Uint8Array(8))],
    [
      'an object that only claims to be an ArrayBuffer',
      { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 3, length: 3 },
    ],
  ])('that is %s is a mistake of the receiver, and the message states the remedy', async (_what, body) => {
    const promise = verifyWebhook(body as string, signed(V1), K1)
    await expect(promise).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'rawBody' })
    await expect(promise).rejects.toThrow(/raw body.*express\.raw\(\) in place of express\.json\(\)/)
  })

  const envelope = JSON.parse(BODY_1) as Record<string, unknown>
  const but = (changes: object): string => JSON.stringify({ ...envelope, ...changes })
  const malformed: [what: string, body: string | Uint8Array, message: string][] = [
    ['empty', '', 'not JSON'],
    ['no JSON', 'type=run.started', 'not JSON'],
    ['cut short', BODY_1.slice(0, -1), 'not JSON'],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'not JSON in UTF-8'],
    ['null', 'null', 'not a JSON object'],
    ['an array', `[${BODY_1}]`, 'not a JSON object'],
    ['a string', JSON.stringify(BODY_1), 'not a JSON object'],
    ['without id', but({ id: undefined }), 'id'],
    ['with a number as id', but({ id: 7 }), 'id'],
    ['with an empty id', but({ id: '' }), 'id'],
    ['of another version', but({ version: 'v2' }), 'version must be "v1"'],
    ['without type', but({ type: undefined }), 'type'],
    ['with an empty type', but({ type: '' }), 'type'],
    ['without category', but({ event_category: undefined }), 'event_category'],
    ['of a category that its type is not of', but({ event_category: 'agent' }), 'event_category'],
    ['without time', but({ timestamp: undefined }), 'timestamp'],
    ['with a number as time', but({ timestamp: 1767323045678 }), 'timestamp'],
    ['with a local time', but({ timestamp: '2026-01-02T03:04:05' }), 'timestamp'],
    ['with a day that there is not', but({ timestamp: '2026-13-02T03:04:05Z' }), 'timestamp'],
    ['with the 30th of February', but({ timestamp: '2026-02-30T03:04:05Z' }), 'timestamp'],
    ['with the 29th of February of no leap year', but({ timestamp: '2026-02-29T03:04:05.6Z' }), 'timestamp'],
    ['with the 31st of April', but({ timestamp: '2026-04-31T03:04:05+00:00' }), 'timestamp'],
    ['with the hour 24', but({ timestamp: '2026-01-02T24:00:00Z' }), 'timestamp'],
    ['without data', but({ data: undefined }), 'data'],
    ['with a list as data', but({ data: [] }), 'data'],
    ['with null as data', but({ data: null }), 'data'],
    ['with its members on __proto__', `{"__proto__":${BODY_1}}`, 'id'],
  ]
  it.each(malformed)('that is %s is refused as an envelope, though signed', async (_what, body, message) => {
    await expect(received(body)).rejects.toMatchObject({
      ...MALFORMED,
      message: expect.stringContaining(message) as string,
    })
  })

  it('is checked no deeper than its envelope', async () => {
    expect(await received(but({ data: { jobKey: 7 }, later: true }))).toMatchObject({ later: true })
  })

  it.each(['2024-02-29T23:59:59Z', '2026-12-31T00:00:00.123456789+00:00', '2026-01-02T03:04:05.6Z'])(
    'may have the time %s',
    async (timestamp) => {
      expect(await received(but({ timestamp }))).toMatchObject({ timestamp })
    },
  )

  it('may have a type that this version does not know', async () => {
    for (const [type, category] of [
      ['agent.archived', 'agent'],
      ['billing.invoice.paid', 'billing'],
      ['ping', 'ping'],
      ['constructor', 'constructor'],
    ]) {
      const event = but({ type, event_category: category, data: { some: 'thing' } })
      expect(await received(event)).toEqual(JSON.parse(event))
    }
  })
})

describe('the types of events', () => {
  it('include the nine of the specification, and no other', () => {
    expect(EVENT_TYPES).toHaveLength(9)
    expectTypeOf<EventType>().toEqualTypeOf<keyof EventData>()
    expectTypeOf<KnownWebhookEvent<'agent.created'>['event_category']>().toEqualTypeOf<'agent'>()
  })

  it('narrow an event, and leave unknown types to the default', async () => {
    const event = await received(BODY_1)
    expectTypeOf(event.type).toExtend<string>()
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- later types have no name, only `default`
    switch (event.type) {
      case 'run.started':
        expectTypeOf(event).toEqualTypeOf<KnownWebhookEvent<'run.started'>>()
        break
      case 'run.completed':
      case 'run.failed':
        expectTypeOf(event.event_category).toEqualTypeOf<'run'>()
        expect(event.data.success satisfies boolean).toBe(true)
        break
      case 'agent.created':
        expectTypeOf(event.data).toEqualTypeOf<{ readonly agentId: number; readonly name: string }>()
        break
      case 'agent.published':
      case 'agent.unpublished':
      case 'agent.enabled':
      case 'agent.disabled':
      case 'agent.deleted':
        expectTypeOf(event.data.agentId).toEqualTypeOf<number>()
        break
      case 'document.completed':
      case 'document.failed':
      case 'document.deleted':
        expectTypeOf(event.event_category).toEqualTypeOf<'document'>()
        expectTypeOf(event.data.docId).toEqualTypeOf<number>()
        break
      default:
        expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>()
        expectTypeOf(event.data).toEqualTypeOf<Readonly<Record<string, unknown>>>()
    }
  })
})

describe('the module that receivers load', () => {
  it('needs no package, and only the errors of the engine', async () => {
    const folder = await temporaryFolder()
    let bytes = 0
    for (const path of await filesLoadedBy('webhooks/index.js')) {
      await cp(join(ROOT, 'dist/src', path), join(folder.path, 'src', path), { recursive: true })
      bytes += (await readFile(join(folder.path, 'src', path))).length
    }
    expect(bytes).toBeLessThan(40_000)
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
    const program = [
      "import { verifyWebhook } from './src/webhooks/index.js'",
      `console.log((await verifyWebhook(${JSON.stringify(BODY_1)}, { '${SIGNATURE_HEADER}': '${V1}' }, '${K1}')).type)`,
    ]
    await writeFile(join(folder.path, 'program.js'), program.join('\n'))
    const output = execFileSync(process.execPath, ['program.js'], { cwd: folder.path })
    expect(output.toString()).toBe('run.completed\n')
    await folder.remove()
  })
})

/** A file of `dist/src` with all its imports, which must stay in that folder. */
async function filesLoadedBy(path: string): Promise<readonly string[]> {
  const code = await readFile(join(ROOT, 'dist/src', path), 'utf8')
  const imported = [...code.matchAll(/(?:from|import) "([^"]+)"/g)].map(([, specifier = '']) => specifier)
  expect(imported.filter((specifier) => !specifier.startsWith('.'))).toEqual([])
  const files = await Promise.all(imported.map((specifier) => filesLoadedBy(join(dirname(path), specifier))))
  return [path, ...files.flat()]
}
