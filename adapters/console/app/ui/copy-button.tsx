import { type ReactElement, useState } from 'react'
import { Button } from 'react-aria-components'
import { type Texts, useTexts } from '../texts/language.js'

const TEXTS: Texts<{ readonly copy: string; readonly copied: string }> = {
  en: { copy: 'Copy', copied: 'Copied' },
  de: { copy: 'Kopieren', copied: 'Kopiert' },
}
const SHOWN_MS = 2_000

/** Copies a text, and says that it did. @param label default: "Copy" */
export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }): ReactElement {
  const texts = useTexts(TEXTS)
  const [isCopied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <Button className="button button-quiet" onPress={() => void copy()}>
      <span aria-live="polite">{isCopied ? texts.copied : (label ?? texts.copy)}</span>
    </Button>
  )
}
