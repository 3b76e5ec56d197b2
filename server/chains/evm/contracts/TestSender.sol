// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tests use this contract wallet, which pays by internal transaction and accepts its owner's signatures (ERC-1271).
contract TestSender {
    address public immutable owner;

    constructor(address owner_) payable {
        owner = owner_;
    }

    receive() external payable {}

    /// The call leaves the recipient only the stipend of 2,300 gas, as Solidity's `transfer` does.
    function send(address payable to, uint256 amount) external {
        require(msg.sender == owner, "TestSender: caller is not the owner");
        (bool ok,) = to.call{value: amount, gas: 0}("");
        require(ok, "TestSender: not accepted");
    }

    function execute(address target, uint256 value, bytes calldata data) external {
        require(msg.sender == owner, "TestSender: caller is not the owner");
        (bool ok,) = target.call{value: value}(data);
        require(ok, "TestSender: call failed");
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == owner && signer != address(0) ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }
}
