<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables as LaTeX: the cells. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:nb="urn:netbound:style" exclude-result-prefixes="nb">

  <xsl:template match="cell" mode="set">
    <xsl:param name="kind"/>
    <xsl:variable name="said"><xsl:apply-templates select="." mode="said"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="$kind = 't' and $said != ''">
        <xsl:value-of select="concat('\texttt{', nb:latex($said), '}')"/>
      </xsl:when>
      <xsl:when test="$kind = 'p'">
        <xsl:value-of select="concat('\raggedright ', nb:latex($said))"/>
      </xsl:when>
      <xsl:when test="$kind = 'd' and translate($said, '0123456789.e+-', '') = '' and
                      translate($said, 'e+-', '') != ''">
        <xsl:call-template name="halves">
          <xsl:with-param name="number" select="$said"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="$kind = 'd'">
        <xsl:text>\multicolumn{2}{c}{</xsl:text>
        <xsl:call-template name="value">
          <xsl:with-param name="text" select="$said"/>
        </xsl:call-template>
        <xsl:text>}</xsl:text>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="value">
          <xsl:with-param name="text" select="$said"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A number in two columns that meet at the decimal point. -->
  <xsl:template name="halves">
    <xsl:param name="number"/>
    <xsl:variable name="digits" select="substring-before(concat($number, 'e'), 'e')"/>
    <xsl:variable name="whole" select="substring-before(concat($digits, '.'), '.')"/>
    <xsl:variable name="rest">
      <xsl:value-of select="substring($digits, string-length($whole) + 1)"/>
      <xsl:if test="contains($number, 'e')">
        <xsl:text>{}\times</xsl:text>
        <xsl:call-template name="math">
          <xsl:with-param name="number" select="concat('1e', substring-after($number, 'e'))"/>
        </xsl:call-template>
      </xsl:if>
    </xsl:variable>
    <xsl:value-of select="concat('$', $whole, '$ &amp; ')"/>
    <xsl:if test="$rest != ''">
      <xsl:value-of select="concat('$', $rest, '$')"/>
    </xsl:if>
  </xsl:template>

  <!-- A number as in a formula. -->
  <xsl:template name="math">
    <xsl:param name="number"/>
    <xsl:choose>
      <xsl:when test="$number = 'inf'">\infty</xsl:when>
      <xsl:when test="$number = '-inf'">-\infty</xsl:when>
      <xsl:when test="contains($number, 'e')">
        <xsl:variable name="digits" select="substring-before($number, 'e')"/>
        <xsl:if test="$digits != '1'">
          <xsl:value-of select="concat($digits, '\times')"/>
        </xsl:if>
        <xsl:value-of select="concat('10^{', number(translate(substring-after($number, 'e'), '+', '')), '}')"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$number"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Numbers, ratios and intervals as formulas, everything else as text. -->
  <xsl:template name="value">
    <xsl:param name="text"/>
    <xsl:variable name="left" select="translate($text, '0123456789.e+-', '')"/>
    <xsl:variable name="has-digits" select="translate($text, '0123456789', '') != $text"/>
    <xsl:choose>
      <xsl:when test="$text = '-'">--</xsl:when>
      <xsl:when test="$text = 'inf' or $text = '-inf' or ($has-digits and $left = '' and
                      string-length($text) = string-length(translate($text, 'e', '')) +
                      contains($text, 'e') and not(starts-with($text, 'e')))">
        <xsl:text>$</xsl:text>
        <xsl:call-template name="math">
          <xsl:with-param name="number" select="$text"/>
        </xsl:call-template>
        <xsl:text>$</xsl:text>
      </xsl:when>
      <xsl:when test="$has-digits and $left = '/' and not(contains($text, 'e'))">
        <xsl:value-of select="concat('$', $text, '$')"/>
      </xsl:when>
      <xsl:when test="contains($text, '[') and contains($text, ', ') and
                      translate($left, 'inf', '') = ' [, ]'">
        <xsl:call-template name="interval">
          <xsl:with-param name="text" select="$text"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="nb:latex($text)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- "0.5 [0.4, 0.6]", "in [0.4, inf]" -->
  <xsl:template name="interval">
    <xsl:param name="text"/>
    <xsl:variable name="before" select="substring-before($text, ' [')"/>
    <xsl:variable name="ends" select="substring-before(substring-after($text, '['), ']')"/>
    <xsl:choose>
      <xsl:when test="$before = 'in'">in </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="value">
          <xsl:with-param name="text" select="$before"/>
        </xsl:call-template>
        <xsl:text> </xsl:text>
      </xsl:otherwise>
    </xsl:choose>
    <xsl:text>$[</xsl:text>
    <xsl:call-template name="math">
      <xsl:with-param name="number" select="substring-before($ends, ', ')"/>
    </xsl:call-template>
    <xsl:text>, </xsl:text>
    <xsl:call-template name="math">
      <xsl:with-param name="number" select="substring-after($ends, ', ')"/>
    </xsl:call-template>
    <xsl:text>]$</xsl:text>
  </xsl:template>
</xsl:stylesheet>
