import { useWords } from '../../i18n/words.ts'
import { linesOf, type OrderLine } from '../../order/order-lines.ts'
import { Icon } from '../../ui/icon.tsx'
import type { OrderRead } from '../../wire/order-read.ts'
import { usePage } from './page-context.ts'

/** A wide screen has room for this many large pictures. */
const mostPictures = 4

/** A line without a quantity is of one, as everybody assumes; the receipt says it all the same. */
const isMoreThanOne = (line: OrderLine): line is OrderLine & { readonly quantity: number } =>
  line.quantity !== undefined && line.quantity !== 1

/** What was ordered. Where each line has a picture, a wide screen shows them large (summary.css). */
export const OrderLines = ({ of: order, small }: { of: OrderRead; small?: boolean }) => {
  const words = useWords()
  const { boot } = usePage()
  const lines = linesOf(order)
  if (lines.length === 0) return null
  const isShowcase = !small && lines.length <= mostPictures && lines.every(({ hasImage }) => hasImage)
  return (
    <ul class={isShowcase ? 'lines pictures' : small ? 'lines card small' : 'lines'}>
      {lines.map((line, at) => (
        <li>
          <span class="thumb" aria-hidden="true">
            <Icon name="item" />
            {line.hasImage && <img src={`${boot.path}/image/${at}`} alt="" loading="lazy" />}
          </span>
          <span>
            {line.name}
            <small>
              {line.description && <bdi>{line.description}</bdi>}
              {line.description && isMoreThanOne(line) && ' · '}
              {isMoreThanOne(line) && words.t('quantity', { count: words.count(line.quantity) })}
            </small>
          </span>
          {line.total !== undefined && <span class="num">{words.fiat(line.total, line.unit)}</span>}
        </li>
      ))}
    </ul>
  )
}
