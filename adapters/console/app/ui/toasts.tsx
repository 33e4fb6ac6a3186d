import type { ReactElement } from 'react'
import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components'
import { phrases, useTexts } from '../texts/phrases.js'

interface Message {
  readonly text: string
  /** A button, such as "Undo". */
  readonly action?: { readonly label: string; readonly onPress: () => void }
  /** Called once the message is gone: by its time, which stops while somebody points at it, or by a press. */
  readonly onClose?: () => void
}

const TEXTS = phrases({
  en: { close: 'Close', label: 'Messages' },
  de: { close: 'Schließen', label: 'Meldungen' },
})
const SHOWN_MS = 6_000

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 })

/** Shows a short message that goes by itself. @returns a function that removes it */
export function toast(message: Message, shownMs: number = SHOWN_MS): () => void {
  const { onClose } = message
  const key = queue.add(message, { timeout: shownMs, ...(onClose !== undefined && { onClose }) })
  return () => queue.close(key)
}

/** Removes all messages, without their `onClose`. */
export function clearToasts(): void {
  queue.clear()
}

/**
 * The place of the messages. The page has one. The page has as much more room at its end as the messages cover, so
 * everything that they cover can be scrolled out, and dialogs end above them.
 */
export function Toasts(): ReactElement {
  const texts = useTexts(TEXTS)
  return (
    <ToastRegion ref={makeRoom} queue={queue} className="toasts" aria-label={texts.label}>
      {({ toast: shown }) => (
        <Toast toast={shown} className="toast">
          <ToastContent>
            <Text slot="title">{shown.content.text}</Text>
          </ToastContent>
          {shown.content.action !== undefined && (
            <Button
              className="button button-quiet"
              onPress={() => {
                shown.content.action?.onPress()
                queue.close(shown.key)
              }}
            >
              {shown.content.action.label}
            </Button>
          )}
          <Button slot="close" className="button button-quiet" aria-label={texts.close}>
            ×
          </Button>
        </Toast>
      )}
    </ToastRegion>
  )
}

/** Tells the styles how much of the page the messages cover. @returns a function that ends it */
function makeRoom(region: HTMLElement | null): (() => void) | undefined {
  if (region === null) return undefined
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => {
    style.setProperty('--toasts', `${Math.ceil(window.innerHeight - region.getBoundingClientRect().top)}px`)
    uncoverFocus(region)
  })
  observer.observe(region)
  return () => {
    observer.disconnect()
    style.removeProperty('--toasts')
  }
}

/** A message comes at the end of what a button did: the control that the user works at stays in sight. */
function uncoverFocus(region: HTMLElement): void {
  const control = document.querySelector('main :is(a, button, input, textarea):focus')
  if (control === null) return
  const [place, covered] = [control.getBoundingClientRect(), region.getBoundingClientRect()]
  const isCovered = place.bottom > covered.top && place.top < covered.bottom && place.right > covered.left
  if (isCovered) control.scrollIntoView({ block: 'nearest' })
}
