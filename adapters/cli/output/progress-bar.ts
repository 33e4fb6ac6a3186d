import { Presets, SingleBar } from 'cli-progress'

/** Shows on a terminal how far a work is. Shows nothing elsewhere. */
export class ProgressBar {
  #bar: SingleBar | undefined

  /**
   * @param format the layout, such as `{bar} {value}/{total} files  {file}`
   * @param stream default: stderr
   */
  constructor(
    private readonly format: string,
    private readonly stream: NodeJS.WriteStream = process.stderr,
  ) {}

  /** @param texts the other texts of the layout, by their names */
  show(done: number, total: number, texts: Readonly<Record<string, string>> = {}): void {
    if (!this.stream.isTTY) return
    if (this.#bar === undefined) {
      const { format, stream } = this
      this.#bar = new SingleBar({ format, stream, clearOnComplete: true }, Presets.shades_classic)
      this.#bar.start(total, done, texts)
    }
    this.#bar.setTotal(total)
    this.#bar.update(done, texts)
  }

  /** Removes the bar. The next call of {@link show} begins another one. */
  stop(): void {
    this.#bar?.stop()
    this.#bar = undefined
  }
}
