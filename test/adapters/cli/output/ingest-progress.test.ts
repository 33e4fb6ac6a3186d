import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { IngestProgress } from '../../../../adapters/cli/output/ingest-progress.js'
import type { DocumentProgress } from '../../../../src/index.js'

function progressOf(windowsEmbedded: number, windowsTotal: number | null): DocumentProgress {
  const percent = windowsTotal === null ? null : Math.floor((100 * windowsEmbedded) / windowsTotal)
  const stage = windowsTotal === null ? 'reading' : 'embedding'
  return {
    contextId: 1,
    fileName: 'uuid',
    stage,
    charactersExtracted: 1_234_567,
    windowsEmbedded,
    windowsTotal,
    percent,
  }
}

/** An output that keeps what is written to it. */
function output({ isTTY }: { readonly isTTY: boolean }) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120, rows: 24 }) as unknown as NodeJS.WriteStream
  const text = (): string => String((stream as unknown as PassThrough).read() ?? '')
  return { stream, text }
}

function start(isTTY: boolean) {
  const [results, progress] = [output({ isTTY }), output({ isTTY })]
  const clock = { now: 0 }
  const outputs = { results: results.stream, progress: progress.stream, now: () => clock.now }
  return { shown: new IngestProgress(3, outputs), clock, results, progress }
}

describe('the progress of an ingestion', () => {
  it('is a bar on a terminal, with percent and time left of the file', async () => {
    const { shown, clock, results, progress } = start(true)
    shown.show('large.pdf', progressOf(0, null))
    expect(await eventually(progress.text, 'large.pdf: reading, 1,234,567 characters')).toContain('0/3 files')
    shown.show('large.pdf', progressOf(0, 1_000))
    clock.now = 10_000
    shown.show('large.pdf', progressOf(250, 1_000))
    expect(await eventually(progress.text, 'large.pdf: 25 %, 30 s left')).toContain('0/3 files')
    shown.finishFile('large.pdf', '400 chunks from 9 bytes')
    expect(results.text()).toBe('large.pdf: 400 chunks from 9 bytes\n')
    shown.stop()
  })

  it('is a line every 15 seconds elsewhere, and none for quick files', () => {
    const { shown, clock, results, progress } = start(false)
    shown.show('a.txt', progressOf(1, 1))
    shown.finishFile('a.txt', '1 chunk from 5 bytes')
    shown.show('large.pdf', progressOf(0, 100_000))
    clock.now = 14_000
    shown.show('large.pdf', progressOf(256, 100_000))
    expect(progress.text()).toBe('')
    clock.now = 20_000
    shown.show('large.pdf', progressOf(1_000, 100_000))
    clock.now = 21_000
    shown.show('large.pdf', progressOf(1_100, 100_000))
    expect(progress.text()).toBe('1/3 files; large.pdf: 1 %, 33 min left\n')
    clock.now = 40_000
    // A retry begins from the start: its speed is measured again.
    shown.show('large.pdf', progressOf(0, 100_000))
    expect(progress.text()).toBe('1/3 files; large.pdf: 0 %\n')
    expect(results.text()).toBe('a.txt: 1 chunk from 5 bytes\n')
    shown.stop()
  })
})

/** The bar is drawn a few times a second. */
async function eventually(read: () => string, part: string): Promise<string> {
  let text = ''
  await expect.poll(() => (text += read())).toContain(part)
  return text
}
