// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Asks a quoter about many paths, and pools for their prices, in one `eth_call` that runs this creation code and deploys nothing. A node runs a
/// call with limited gas, and a single pool without liquidity can use up all of it, so each path gets its own share and fails alone. The answer
/// is a word that says whether the factory allows the router, one for each pool and one for each path, which is zero where there was nothing.
contract QuoteRoutes {
    /// What is kept back for the words that follow.
    uint256 private constant RESERVE = 100_000;

    struct Question {
        address factory;
        address router;
        address quoter;
        bytes4 quote;
        uint256 amount;
        uint256 gasEach;
        address[] pools;
        bytes[] paths;
    }

    constructor(Question memory ask) {
        uint256 pools = ask.pools.length;
        uint256[] memory words = new uint256[](1 + pools + ask.paths.length);
        words[0] = _word(ask.factory, ask.gasEach, abi.encodeWithSignature("isRouter(address)", ask.router));
        for (uint256 i = 0; i < pools; ++i) words[1 + i] = _word(ask.pools[i], ask.gasEach, abi.encodeWithSignature("slot0()"));
        for (uint256 i = 0; i < ask.paths.length; ++i) {
            // All but a 64th of the gas that is left can be passed on.
            if (gasleft() < ask.gasEach + ask.gasEach / 63 + RESERVE) break;
            words[1 + pools + i] = _word(ask.quoter, ask.gasEach, abi.encodeWithSelector(ask.quote, ask.paths[i], ask.amount));
        }
        assembly ("memory-safe") {
            return(add(words, 32), mul(mload(words), 32))
        }
    }

    /// The quoter simulates swaps that it undoes, so it cannot be called statically.
    function _word(address target, uint256 gasLimit, bytes memory data) private returns (uint256 word) {
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := call(gasLimit, target, 0, add(data, 32), mload(data), 0, 32)
            if and(ok, gt(returndatasize(), 31)) { word := mload(0) }
        }
    }
}
