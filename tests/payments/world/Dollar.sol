// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// What of USDC the payments of this test need: balances, and EIP-3009. There is no constructor, so
/// that the code can be put at the address that clients know.
contract Dollar {
    string public constant name = "USD Coin";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);

    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        use(Authorization(from, to, value, validAfter, validBefore, nonce), v, r, s);
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes calldata signature
    ) external {
        require(signature.length == 65, "signature length");
        (bytes32 r, bytes32 s) = (bytes32(signature[:32]), bytes32(signature[32:64]));
        use(Authorization(from, to, value, validAfter, validBefore, nonce), uint8(signature[64]), r, s);
    }

    function use(Authorization memory it, uint8 v, bytes32 r, bytes32 s) private {
        require(block.timestamp > it.validAfter, "not yet valid");
        require(block.timestamp < it.validBefore, "expired");
        require(!authorizationState[it.from][it.nonce], "used or canceled");
        bytes32 domain = keccak256(
            abi.encode(DOMAIN, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this))
        );
        bytes32 message = keccak256(abi.encode(TRANSFER, it));
        address signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", domain, message)), v, r, s);
        require(signer != address(0) && signer == it.from, "invalid signature");
        authorizationState[it.from][it.nonce] = true;
        emit AuthorizationUsed(it.from, it.nonce);
        balanceOf[it.from] -= it.value;
        balanceOf[it.to] += it.value;
        emit Transfer(it.from, it.to, it.value);
    }
}
