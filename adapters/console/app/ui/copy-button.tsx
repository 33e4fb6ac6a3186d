import { type ReactElement, useState } from 'react'
import { Button } from 'react-aria-components'
import { phrases, useTexts } from '../texts/phrases.js'

const TEXTS = phrases({
  en: {
    copy: 'Copy',
    copied: 'Copied',
    byHand: 'The browser does not let this page copy. The text is selected: press Ctrl+C, or Command+C on a Mac.',
    text: 'Text to copy',
  },
  de: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    byHand: 'Der Browser lässt diese Seite nicht kopieren. Der Text ist markiert: Drücke Strg+C, auf einem Mac Cmd+C.',
    text: 'Text zum Kopieren',
  },
})
const SHOWN_MS = 2_000

/**
 * Copies a text, and says that it did. A browser refuses it to a page without https, for example: the text is then there
 * to copy by hand.
 *
 * @param label default: "Copy"
 */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }): ReactElement {
  const texts = useTexts(TEXTS)
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
      setTimeout(() => setState('ready'), SHOWN_MS)
    } catch {
      setState('refused')
    }
  }
  return (
    <>
      <Button className="button button-quiet" onPress={() => void copy()}>
        <span aria-live="polite">{state === 'copied' ? texts.copied : (label ?? texts.copy)}</span>
      </Button>
      {state === 'refused' && (
        <span className="copy-by-hand">
          <span role="alert">{texts.byHand}</span>
          <textarea
            ref={select}
            readOnly
            rows={2}
            aria-label={texts.text}
            value={text}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        </span>
      )}
    </>
  )
}

function select(area: HTMLTextAreaElement | null): void {
  area?.focus()
  area?.select()
}
