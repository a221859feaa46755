<?xml version="1.0" encoding="UTF-8"?>
<!-- Tables on a page: each scrolls in a region of its own; those that few
     readers need are folded. -->
<xsl:stylesheet version="1.0"
    xmlns:xsl="http://www.w3.org/1999/XSL/Transform">

  <xsl:key name="citations" match="citation" use="concat(../@id, ' ', @key)"/>

  <xsl:template match="table[@shown = 'yes']">
    <div id="{@id}">
      <!-- The heading already says it. -->
      <xsl:attribute name="class">
        <xsl:if test="@kind = 'quantities'">quiet</xsl:if>
        <xsl:if test="count(column) &gt; $paper-columns"> parted</xsl:if>
      </xsl:attribute>
      <xsl:apply-templates select="." mode="region"/>
      <xsl:if test="count(column) &gt; $paper-columns">
        <xsl:apply-templates select="." mode="parts"/>
      </xsl:if>
    </div>
  </xsl:template>

  <xsl:template match="table">
    <details id="{@id}" class="folded">
      <summary>
        <span class="name"><xsl:value-of select="@title"/></span>
        <xsl:text> </xsl:text>
        <span class="count">
          <xsl:call-template name="count">
            <xsl:with-param name="number" select="@rows"/>
            <xsl:with-param name="noun">row</xsl:with-param>
          </xsl:call-template>
        </span>
      </summary>
      <xsl:apply-templates select="." mode="region"/>
    </details>
  </xsl:template>

  <xsl:template match="table" mode="region">
    <!-- If there are many tables, each shows fewer rows. -->
    <xsl:variable name="share" select="floor(6000 div ../@tables)"/>
    <xsl:variable name="most">
      <xsl:choose>
        <xsl:when test="$share &lt; 50">50</xsl:when>
        <xsl:otherwise><xsl:value-of select="$share"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:variable name="rows" select="row[position() &lt;= $most]"/>
    <div class="scroll" role="region" tabindex="0" aria-labelledby="{@id}-caption">
      <!-- Paper does not scroll. -->
      <xsl:if test="count(column) &gt; $paper-columns">
        <xsl:attribute name="class">scroll wide</xsl:attribute>
      </xsl:if>
      <table>
        <xsl:if test="count($rows) &lt;= $paper-rows">
          <xsl:attribute name="class">short</xsl:attribute>
        </xsl:if>
        <caption id="{@id}-caption">
          <xsl:value-of select="@title"/>
        </caption>
        <thead>
          <tr><xsl:apply-templates select="column"/></tr>
        </thead>
        <tbody>
          <xsl:apply-templates select="$rows"/>
        </tbody>
      </table>
    </div>
    <xsl:if test="@rows &gt; count($rows)">
      <p class="rest">
        <xsl:value-of select="concat('The first ',
                              format-number(count($rows), '#,##0'), ' of ')"/>
        <xsl:call-template name="count">
          <xsl:with-param name="number" select="@rows"/>
          <xsl:with-param name="noun">row</xsl:with-param>
        </xsl:call-template>
        <xsl:choose>
          <xsl:when test="@shown = 'first'">: <a href="#{substring-before(@id, '-shown')}">all of them</a></xsl:when>
          <xsl:otherwise>: the rest is in the report.</xsl:otherwise>
        </xsl:choose>
      </p>
    </xsl:if>
  </xsl:template>

  <!-- On paper a table with more columns is split into parts, one below the
       other, each with the swept options or the names of the rows. -->
  <xsl:variable name="paper-columns" select="8"/>
  <!-- A table with no more rows than this stays on one page. -->
  <xsl:variable name="paper-rows" select="24"/>

  <xsl:template match="table" mode="parts">
    <xsl:param name="first" select="1"/>
    <xsl:param name="most" select="200"/>
    <xsl:variable name="keys" select="column[@swept] | column[1][not(../column/@swept)]"/>
    <xsl:variable name="others" select="column[not(@swept) and (position() &gt; 1 or ../column/@swept)]"/>
    <xsl:variable name="room" select="$paper-columns - 2 - count($keys)"/>
    <xsl:variable name="step" select="$room * ($room &gt; 3) + 3 * ($room &lt;= 3)"/>
    <xsl:variable name="columns" select="$keys | $others[position() &gt;= $first and position() &lt; $first + $step]"/>
    <table class="part">
      <xsl:if test="count(row[position() &lt;= $most]) &lt;= $paper-rows">
        <xsl:attribute name="class">part short</xsl:attribute>
      </xsl:if>
      <caption>
        <xsl:value-of select="concat(@title, ' (part ', ($first - 1) div $step + 1, ' of ',
                              ceiling(count($others) div $step), ')')"/>
      </caption>
      <thead><tr><xsl:apply-templates select="$columns"/></tr></thead>
      <tbody>
        <xsl:for-each select="row[position() &lt;= $most]">
          <xsl:variable name="row" select="."/>
          <tr>
            <xsl:for-each select="$columns">
              <xsl:variable name="place" select="1 + count(preceding-sibling::column)"/>
              <td>
                <xsl:apply-templates select="." mode="side"/>
                <xsl:value-of select="$row/cell[$place]"/>
              </td>
            </xsl:for-each>
          </tr>
        </xsl:for-each>
      </tbody>
    </table>
    <xsl:if test="$first + $step &lt;= count($others)">
      <xsl:apply-templates select="." mode="parts">
        <xsl:with-param name="first" select="$first + $step"/>
        <xsl:with-param name="most" select="$most"/>
      </xsl:apply-templates>
    </xsl:if>
  </xsl:template>

  <xsl:template match="column">
    <th scope="col">
      <xsl:apply-templates select="." mode="side"/>
      <xsl:call-template name="breakable">
        <xsl:with-param name="text" select="@name"/>
        <xsl:with-param name="after" select="'_'"/>
      </xsl:call-template>
      <xsl:if test="@unit != ''">
        <span class="unit">
          <xsl:call-template name="breakable">
            <xsl:with-param name="text" select="@unit"/>
            <xsl:with-param name="after" select="'/'"/>
          </xsl:call-template>
        </span>
      </xsl:if>
    </th>
  </xsl:template>

  <xsl:template match="column" mode="side">
    <xsl:if test="@side = 'right'">
      <xsl:attribute name="class">n</xsl:attribute>
    </xsl:if>
  </xsl:template>

  <!-- A text that may break after each occurrence of a character. -->
  <xsl:template name="breakable">
    <xsl:param name="text"/>
    <xsl:param name="after"/>
    <xsl:variable name="half" select="floor(string-length($text) div 2)"/>
    <xsl:choose>
      <!-- By halves: libxslt permits 3000 levels. -->
      <xsl:when test="$half &gt; 100">
        <xsl:call-template name="breakable">
          <xsl:with-param name="text" select="substring($text, 1, $half)"/>
          <xsl:with-param name="after" select="$after"/>
        </xsl:call-template>
        <xsl:call-template name="breakable">
          <xsl:with-param name="text" select="substring($text, $half + 1)"/>
          <xsl:with-param name="after" select="$after"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="contains($text, $after)">
        <xsl:value-of select="concat(substring-before($text, $after), $after)"/>
        <!-- libxml2 would write an end tag. -->
        <xsl:text disable-output-escaping="yes">&lt;wbr&gt;</xsl:text>
        <xsl:call-template name="breakable">
          <xsl:with-param name="text" select="substring-after($text, $after)"/>
          <xsl:with-param name="after" select="$after"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Wide tables are read along rows: the first cell names the row. -->
  <xsl:template match="row">
    <xsl:variable name="columns" select="../column"/>
    <tr>
      <xsl:for-each select="cell">
        <xsl:variable name="place" select="position()"/>
        <xsl:variable name="element">
          <xsl:choose>
            <xsl:when test="$place = 1">th</xsl:when>
            <xsl:otherwise>td</xsl:otherwise>
          </xsl:choose>
        </xsl:variable>
        <xsl:element name="{$element}">
          <xsl:if test="$place = 1">
            <xsl:attribute name="scope">row</xsl:attribute>
          </xsl:if>
          <xsl:apply-templates select="$columns[$place]" mode="side"/>
          <xsl:if test="@raw | @decimal">
            <xsl:attribute name="title"><xsl:value-of select="@raw | @decimal"/></xsl:attribute>
          </xsl:if>
          <xsl:choose>
            <xsl:when test="$columns[$place]/@name = 'source'">
              <xsl:call-template name="source">
                <xsl:with-param name="text" select="."/>
                <xsl:with-param name="report" select="../../../@id"/>
              </xsl:call-template>
            </xsl:when>
            <xsl:when test="$columns[$place]/@name = 'quantity'">
              <xsl:call-template name="breakable">
                <xsl:with-param name="text" select="."/>
                <xsl:with-param name="after" select="'_'"/>
              </xsl:call-template>
            </xsl:when>
            <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
          </xsl:choose>
          <!-- A list has a column for it. -->
          <xsl:if test="@exact and not($columns[1]/@name = 'quantity')">
            <span class="exact"><xsl:value-of select="@exact"/></span>
          </xsl:if>
        </xsl:element>
      </xsl:for-each>
    </tr>
  </xsl:template>

  <!-- "Key, place", with a link from the key to the list of sources. -->
  <xsl:template name="source">
    <xsl:param name="text"/>
    <xsl:param name="report"/>
    <xsl:variable name="key" select="substring-before(concat($text, ','), ',')"/>
    <xsl:choose>
      <xsl:when test="key('citations', concat($report, ' ', $key))">
        <a href="#{$report}-source-{$key}"><xsl:value-of select="$key"/></a>
        <xsl:value-of select="substring-after($text, $key)"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
