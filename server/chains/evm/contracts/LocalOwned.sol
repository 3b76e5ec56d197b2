// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Creates a contract on a local chain and hands it to an owner. Uniswap's factory belongs to whoever creates it, and the deterministic
/// deployer could do nothing with it.
contract LocalOwned {
    error NotCreated();

    constructor(bytes memory code, address owner) {
        address created;
        assembly ("memory-safe") {
            created := create(0, add(code, 32), mload(code))
        }
        (bool ok,) = created.call(abi.encodeWithSignature("setOwner(address)", owner));
        if (!ok || created.code.length == 0) revert NotCreated();
    }
}
