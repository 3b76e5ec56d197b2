/** A mark is drawn by these paths, on a grid of 24 × 24, either along a line or over an area. */
export type MarkPath =
  | { readonly d: string; readonly fill: string }
  | { readonly d: string; readonly stroke: string; readonly width: number }

const line = (stroke: string, width: number, d: string): MarkPath => ({ d, stroke, width })
const area = (fill: string, d: string): MarkPath => ({ d, fill })
/** Lines have round ends and corners, so one this wide is a tile with round corners, or a coin. */
const tile = (color: string): MarkPath => line(color, 13, 'M7 7h10v10H7z')
const coin = (color: string): MarkPath => line(color, 23, 'M12 12h0')

const ether = { upper: 'M12 4l5 8-5 3-5-3z', lower: 'M12 16.5l5-3-5 6.5-5-6.5z' }
const bnb = area(
  '#3a2b00',
  'M12 4.6L14.4 7 12 9.4 9.6 7zM12 14.6l2.4 2.4-2.4 2.4L9.6 17zM7 9.6L9.4 12 7 14.4 4.6 12zM17 9.6l2.4 2.4-2.4 2.4-2.4-2.4z',
)
const cube = line('#fff', 1.7, 'M12 5.6l5.6 3.2v6.4L12 18.4l-5.6-3.2V8.8zM12 12v6M12 12l5.4-3M12 12L6.6 9')
const bitcoin = line(
  '#fff',
  1.7,
  'M9.5 7.5h3.8a2.1 2.1 0 0 1 0 4.4H9.5zM9.5 11.9h4.3a2.2 2.2 0 0 1 0 4.5H9.5zM10.8 5.8v1.7M13.2 5.8v1.7M10.8 16.4v1.8M13.2 16.4v1.8',
)
const bars = [line('#72e2c1', 2.1, 'M8.5 8.3h8.2'), line('#8aa5f2', 2.1, 'M7.3 12h8.2'), line('#bd84f3', 2.1, 'M8.5 15.7h8.2')]
const drop = [
  area('#fff', 'M12 4.5c2.6 3.2 4.6 5.6 4.6 8.6a4.6 4.6 0 0 1-9.2 0c0-3 2-5.4 4.6-8.6z'),
  line('#3a8fe8', 1.5, 'M9 13.4c1.6-1.3 3.4 1.4 6 0'),
]

const whiteEther = [area('#fff', ether.upper), area('#ccd3fa', ether.lower)]
const ethereumMark = [tile('#5566d0'), ...whiteEther]
const baseMark = [tile('#2460ff'), line('#fff', 2, 'M6 16.5h12'), area('#fff', 'M8 13a4 4 0 0 1 8 0z')]
const bitcoinMark = [tile('#ee8a1c'), bitcoin]
const solanaMark = [tile('#3a2f6b'), ...bars]

/** We have drawn these ourselves (docs/decisions/0051-marks.md). A network's key is its chain id, and a test network has its main network's mark. */
export const networkMarks: Readonly<Record<string, readonly MarkPath[]>> = {
  1: ethereumMark,
  11155111: ethereumMark,
  10: [tile('#ee2b3e'), line('#fff', 2.2, 'M6.5 12.5a5.5 5.5 0 0 0 11 0'), area('#fff', 'M8.3 7h2v2.4h-2zM13.7 7h2v2.4h-2z')],
  56: [tile('#f1bb1c'), bnb],
  137: [tile('#7a45e0'), cube],
  4663: [tile('#0a9f2b'), line('#fff', 1.9, 'M7 18c1-6 4-9.5 10-12-1 6-4 8.5-7.5 9')],
  8453: baseMark,
  84532: baseMark,
  42161: [tile('#1d3350'), line('#fff', 2.1, 'M6.5 17.5L12 6l5.5 11.5'), line('#45b4f0', 2.1, 'M11 17.5l1.6-3.6')],
  20000000000001: bitcoinMark,
  20000000000101: bitcoinMark,
  20000000000102: bitcoinMark,
  30000000000001: solanaMark,
  30000000000101: solanaMark,
  30000000000002: [tile('#3a8fe8'), ...drop],
}

export const tokenMarks: Readonly<Record<string, readonly MarkPath[]>> = {
  USDC: [
    coin('#2b6fd6'),
    line(
      '#fff',
      1.8,
      'M15 9.4c-.4-1.2-1.5-1.8-3-1.8-1.7 0-2.9.8-2.9 2.1 0 3.2 6 1.5 6 4.5 0 1.4-1.3 2.2-3.1 2.2-1.6 0-2.8-.6-3.2-1.9M12 5.6v12.8',
    ),
  ],
  USDT: [coin('#1f8f74'), line('#fff', 2, 'M7.5 7.6h9M12 7.6v9.8M7 11.6c0 2.4 10 2.4 10 0')],
  ETH: [coin('#e4e7fb'), area('#5566d0', ether.upper), area('#8090e6', ether.lower)],
  WETH: [coin('#5566d0'), ...whiteEther],
  BTC: [coin('#ee8a1c'), bitcoin],
  SOL: [coin('#3a2f6b'), ...bars],
  DAI: [coin('#f2b137'), line('#fff', 1.6, 'M9 7h2.6c6.4 0 6.4 10 0 10H9zM6.8 10.7h10.6M6.8 13.3h10.6')],
  BNB: [coin('#f1bb1c'), bnb],
  POL: [coin('#7a45e0'), cube],
  SUI: [coin('#3a8fe8'), ...drop],
  EURC: [coin('#2b6fd6'), line('#fff', 1.8, 'M16 8.6a5 5 0 1 0 0 6.8M6.6 10.8h6.6M6.6 13.2h6.6')],
}

export const walletMarks: Readonly<Record<string, readonly MarkPath[]>> = {
  MetaMask: [
    tile('#f6851b'),
    area('#fff', 'M5 6l5 3.5h4L19 6l-1.5 8-3 4h-5l-3-4z'),
    area('#3a2b00', 'M9 12.5l2 1-.5 1zM15 12.5l-2 1 .5 1z'),
  ],
  Coinbase: [tile('#1652f0'), line('#fff', 14, 'M12 12h0'), area('#1652f0', 'M9.5 9.5h5v5h-5z')],
  Trust: [tile('#0500ff'), line('#fff', 1.9, 'M12 5l6 2.2c0 5.5-1.5 9-6 11.5-4.5-2.5-6-6-6-11.5z')],
  Rainbow: [
    tile('#174299'),
    line('#ff5a4f', 2.2, 'M5.5 8A10.5 10.5 0 0 1 16 18.5'),
    line('#ffd04a', 2.2, 'M5.5 11.5a7 7 0 0 1 7 7'),
    line('#4ad8ff', 2.2, 'M5.5 15a3.5 3.5 0 0 1 3.5 3.5'),
  ],
  OKX: [tile('#3a4248'), area('#fff', 'M5 5h4.5v4.5H5zM14.5 5H19v4.5h-4.5zM9.8 9.8h4.4v4.4H9.8zM5 14.5h4.5V19H5zM14.5 14.5H19V19h-4.5z')],
  Phantom: [
    tile('#ab9ff2'),
    area('#fff', 'M5 17c0-7 3-11 7.5-11S19 9.5 19 12.5 16.5 17 15 17s-1-2-2-2-2 3-4 3c-1.5 0-1-2-2-2s-1 1-2 1z'),
    area('#3a2f6b', 'M12.5 10h1.3v2.5h-1.3zM15.5 10h1.3v2.5h-1.3z'),
  ],
}
