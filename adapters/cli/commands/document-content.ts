import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { AlcoveError, InvalidInputError } from '../../../src/index.js'
import { isError } from '../../../src/ports/index.js'
import { isCode } from '../../node-kit/index.js'
import { ownerSession, withDatabase, withEngine } from '../engines/engines.js'
import { globalOptions, option, parseNumber } from '../options.js'
import { DOCUMENT, parseDocument } from '../output/document-table.js'
import { oneLine, printable, printResult } from '../output/output.js'

export function textCommand(): CommandUnknownOpts {
  return new Command('text')
    .description('print the text that was extracted from a document, or a part of it')
    .argument('<document>', DOCUMENT, parseDocument)
    .addOption(
      option('--start <offset>', 'first UTF-16 unit, as in the source of a hit; default: 0').argParser(parseNumber),
    )
    .addOption(
      option('--end <offset>', 'offset after the last unit; default: the end of the text').argParser(parseNumber),
    )
    .action(async (reference, { start, end }, command) => {
      const options = globalOptions(command)
      await withDatabase(options, async (engine) => {
        const text = await ownerSession(engine).documents.openText(reference, { start, end })
        if (!options.json) {
          for await (const piece of text.pieces) await print(printableOnTerminal(piece))
          return
        }
        await print(`{"start":${text.start},"end":${text.end},"length":${text.length},"text":"`)
        for await (const piece of text.pieces) await print(JSON.stringify(piece).slice(1, -1))
        await print('"}\n')
      })
    })
}

export function contentCommand(): CommandUnknownOpts {
  return new Command('content')
    .description('save a document as it was received')
    .argument('<document>', DOCUMENT, parseDocument)
    .addOption(option('--output <file>', 'a new file; default: the name of the document, in this folder'))
    .action(async (reference, { output }, command) => {
      const options = globalOptions(command)
      const saved = await withEngine(options, async (engine) => {
        const { documents } = ownerSession(engine)
        const { displayName, size } = await documents.get(reference)
        const file = output ?? basename(displayName)
        // Never over another file: the name comes from whoever uploaded the document.
        const bytes = Readable.from(await documents.open(reference))
        await pipeline(bytes, createWriteStream(file, { flags: 'wx' })).catch(async (error: unknown) => {
          if (!isCode(error, 'EEXIST')) await rm(file, { force: true })
          throw describe(error, file)
        })
        return { file, size }
      })
      printResult(options, saved, `Saved ${saved.size} bytes as ${saved.file}.`)
    })
}

export function chunksCommand(): CommandUnknownOpts {
  return new Command('chunks')
    .description('list the chunks of a document with their offsets, pages and headings')
    .argument('<document>', DOCUMENT, parseDocument)
    .addOption(option('--limit <number>', 'most chunks, 1 to 100; default: 20').argParser(parseNumber))
    .addOption(option('--after <ordinal>', 'only chunks with a higher ordinal').argParser(parseNumber))
    .action(async (reference, { limit, after }, command) => {
      const options = globalOptions(command)
      await withDatabase(options, async (engine) => {
        const { items, nextAfter } = await ownerSession(engine).documents.chunkPage(reference, { limit, after })
        let count = 0
        for await (const { content, ...chunk } of items) {
          const { ordinal, start, end, pages, headings } = chunk
          const place = [
            ...(pages === null
              ? []
              : [pages.first === pages.last ? `page ${pages.first}` : `pages ${pages.first}–${pages.last}`]),
            ...headings,
          ]
          if (options.json) await print(`${count === 0 ? '[' : ','}${JSON.stringify({ ...chunk, content })}`)
          else
            await print(`${oneLine([`${ordinal}. ${start}–${end}`, ...place].join('  '))}\n${printable(content)}\n\n`)
          count += 1
        }
        if (options.json) await print(`${count === 0 ? '[' : ''}]\n`)
        else if (count === 0) await print('none\n')
        else if (nextAfter !== null) await print(`more: --after ${nextAfter}\n`)
      })
    })
}

function describe(error: unknown, file: string): unknown {
  if (!isError(error) || !('code' in error) || error instanceof AlcoveError) return error
  const problem =
    error.code === 'EEXIST' ? 'exists already: name another one' : `cannot be written (${String(error.code)})`
  return new InvalidInputError('output', `the file ${file} ${problem}`, { cause: error })
}

/** Writes to stdout, and waits while its reader is slow. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Only a terminal could be attacked: a file or a program gets the exact text. */
function printableOnTerminal(text: string): string {
  return process.stdout.isTTY ? printable(text) : text
}
