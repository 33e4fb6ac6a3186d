import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { LIST_TEXTS } from './list-texts.js'

/** The actions for the selected documents. They stay visible while the list scrolls. */
export function SelectionBar({
  count,
  onDelete,
  onClear,
}: {
  readonly count: number
  readonly onDelete: () => void
  readonly onClear: () => void
}): ReactElement {
  const texts = useTexts(LIST_TEXTS)
  const { number } = useFormat()
  return (
    <div className="docs-bar docs-selection">
      <span role="status">{texts.selected(number(count))}</span>
      <Button kind="danger" onPress={onDelete}>
        {texts.deleteSelected}
      </Button>
      <Button kind="quiet" onPress={onClear}>
        {texts.clearSelection}
      </Button>
    </div>
  )
}
