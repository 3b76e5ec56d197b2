import { cpus } from 'node:os'
import { bitcoinFigures } from './bitcoin.ts'
import { blockFigures } from './blocks.ts'
import { embedFigures } from './embed.ts'
import { type Figure, table } from './figures.ts'
import { floodFigures } from './flood.ts'
import { startFixture } from './fixture.ts'
import { gasFigures } from './gas.ts'
import { loadFigures } from './load.ts'
import { orderFigures } from './orders.ts'
import { pageFigures } from './page.ts'
import { reconnectFigures } from './reconnect.ts'
import { screenFigures } from './screen.ts'
import { searchFigures } from './search.ts'
import { socketFigures } from './sockets.ts'
import { solanaFigures } from './solana.ts'
import { walletFigures } from './wallet.ts'

/**
 * `npm run bench` compares the service on this machine with the plainest programs that do the same. Arguments select parts by name, for
 * example `npm run bench -- page`.
 */
const chosen = process.argv.slice(2)
const fixture = await startFixture()
try {
  const figures: Figure[] = []
  for (const [what, measure] of Object.entries({
    orders: orderFigures,
    blocks: blockFigures,
    sockets: socketFigures,
    search: searchFigures,
    load: loadFigures,
    page: pageFigures,
    reconnect: reconnectFigures,
    flood: floodFigures,
    screen: screenFigures,
    embed: embedFigures,
    wallet: walletFigures,
    gas: gasFigures,
    bitcoin: bitcoinFigures,
    solana: solanaFigures,
  })) {
    if (chosen.length > 0 && !chosen.includes(what)) continue
    process.stderr.write(`measuring ${what}…\n`)
    figures.push(...(await measure(fixture)))
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? 'processor'}, Node ${process.version}\n`)
  console.log(table(figures))
} finally {
  await fixture.close()
}
